import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const client = fileURLToPath(new URL('../clients/ts/src/index.js', import.meta.url));

const daemon = process.env.BELFRY_URL ?? 'http://127.0.0.1:7117';

// What the client has for Node only stays out of the page.
const withoutNode = {
  name: 'without-node',
  enforce: 'pre',
  resolveId: (id) => (/\/(node_exchange|socket_line)\.js$/.test(id) ? '\0nothing' : null),
  load: (id) => (id === '\0nothing' ? 'export {};' : null),
};

// Four files with stable names, which the binary carries. No inline script or style: the page has a strict policy.
export default defineConfig({
  resolve: { alias: { 'belfry-client': client } },
  plugins: [withoutNode],
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact', legalComments: 'none' },
  build: {
    target: 'es2022',
    modulePreload: false,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    rollupOptions: {
      output: { inlineDynamicImports: true, entryFileNames: 'app.js', assetFileNames: (asset) => (asset.names[0]?.endsWith('.css') ? 'app.css' : '[name][extname]') },
    },
  },
  server: {
    port: 5180,
    fs: { allow: ['..'] },
    proxy: { '/v1': { target: daemon, ws: true, changeOrigin: true }, '/metrics': { target: daemon, changeOrigin: true } },
  },
});
