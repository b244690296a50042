"""What is installed: the program, the service with its user, and documents whose links hold."""

import glob
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import belfry

TREE = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


class AnInstallation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.prefix = tempfile.mkdtemp(prefix="belfry-install-")
        cls.addClassCleanup(shutil.rmtree, cls.prefix, ignore_errors=True)
        subprocess.run(["cmake", "--install", os.path.dirname(belfry.BINARY), "--prefix", cls.prefix], check=True,
                       stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)

    def path(self, *parts):
        return os.path.join(self.prefix, *parts)

    def read(self, *parts):
        with open(self.path(*parts), encoding="utf-8") as file:
            return file.read()

    def test_has_every_document_and_no_link_that_leads_nowhere(self):
        documents = self.path("share/doc/belfry")
        for page in glob.glob(os.path.join(TREE, "docs", "*")):
            self.assertTrue(os.path.exists(os.path.join(documents, "docs", os.path.basename(page))), page)
        pages = glob.glob(os.path.join(documents, "**", "*.md"), recursive=True)
        self.assertGreater(len(pages), 20)
        for page in pages:
            with open(page, encoding="utf-8") as file:
                text = re.sub(r"```.*?```", "", file.read(), flags=re.DOTALL)
            for link in LINK.findall(text):
                if "://" in link:
                    continue
                target = os.path.normpath(os.path.join(os.path.dirname(page), link))
                self.assertTrue(target.startswith(documents) and os.path.exists(target), f"{page}: {link}")

    def test_runs_the_service_as_a_user_that_it_makes_itself(self):
        unit = self.read("lib/systemd/system/belfry.service")
        user = re.search(r"^User=(\S+)$", unit, re.MULTILINE).group(1)
        self.assertNotIn("DynamicUser", unit, "its files could belong to nobody who has a name")
        self.assertRegex(self.read("lib/sysusers.d/belfry.conf"), rf"(?m)^u {user} ")
        for address in re.search(r"^Documentation=(.*)$", unit, re.MULTILINE).group(1).split():
            inside = re.sub(r"^file:///usr(/local)?/", "", address)
            self.assertTrue(os.path.exists(self.path(inside)), address)

    @unittest.skipIf(not shutil.which("systemd-sysusers"), "needs systemd-sysusers")
    def test_makes_its_user_where_there_was_none(self):
        root = tempfile.mkdtemp(prefix="belfry-root-")
        self.addCleanup(shutil.rmtree, root, ignore_errors=True)
        os.makedirs(os.path.join(root, "usr/lib/sysusers.d"))
        os.makedirs(os.path.join(root, "etc"))
        shutil.copy(self.path("lib/sysusers.d/belfry.conf"), os.path.join(root, "usr/lib/sysusers.d"))
        subprocess.run(["systemd-sysusers", "--root", root, "belfry.conf"], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        with open(os.path.join(root, "etc/passwd"), encoding="utf-8") as file:
            self.assertRegex(file.read(), r"(?m)^belfry:.*:/var/lib/belfry:")

    def test_needs_the_time_zones(self):
        with open(os.path.join(os.path.dirname(belfry.BINARY), "CPackConfig.cmake"), encoding="utf-8") as file:
            self.assertRegex(file.read(), r'CPACK_DEBIAN_PACKAGE_DEPENDS "[^"]*\btzdata\b')
        with open(os.path.join(TREE, "scripts/setup"), encoding="utf-8") as file:
            self.assertRegex(file.read(), r'build="[^"]*\btzdata\b')

    def test_has_scripts_of_the_package_that_a_plain_shell_can_read(self):
        for script in glob.glob(os.path.join(TREE, "packaging/debian/*")):
            self.assertTrue(os.access(script, os.X_OK), script)
            subprocess.run(["sh", "-n", script], check=True)


if __name__ == "__main__":
    unittest.main()
