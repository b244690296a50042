"""nginx with the nchan module: HTTP in, server-sent events out, messages in memory."""
import pathlib

from .process import Server

MODULES = [pathlib.Path("/usr/lib/nginx/modules/ngx_nchan_module.so"),
           pathlib.Path("/usr/share/nginx/modules/ngx_nchan_module.so")]

CONFIG = """
load_module {module};
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log warn;
worker_processes 1;
worker_rlimit_nofile 20000;
events {{ worker_connections 16000; }}
http {{
    access_log off;
    keepalive_requests 100000000;
    client_body_buffer_size 64k;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    nchan_shared_memory_size 512m;
    server {{
        listen 127.0.0.1:{port};
        tcp_nodelay on;
        location = /pub/events {{
            nchan_publisher;
            nchan_channel_id events;
            nchan_message_buffer_length {kept};
        }}
        location = /sub/events {{
            nchan_subscriber eventsource;
            nchan_channel_id events;
            nchan_subscriber_first_message newest;
        }}
    }}
}}
"""

MESSAGES_KEPT = 20000  # far more than any burst, so that no reader loses one by being late


class Nchan(Server):
    name = "nchan"
    label = "nginx with nchan, one worker"
    reply_means = "in memory"
    protocol = "nchan"

    def prepare(self):
        module = next((path for path in MODULES if path.exists()), None)
        if module is None:
            raise RuntimeError("the nchan module is not installed (libnginx-mod-nchan)")
        text = CONFIG.format(module=module, folder=self.folder, port=self.port, kept=MESSAGES_KEPT)
        (self.folder / "nginx.conf").write_text(text)

    def command(self):
        return ["nginx", "-e", str(self.folder / "error.log"), "-p", str(self.folder), "-c",
                str(self.folder / "nginx.conf")]

    def environment(self):
        return {**super().environment(), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
