// Fails where the app has become too large, or has files that the binary does not expect.
import { readFileSync, readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const EXPECTED = ['app.css', 'app.js', 'icon.svg', 'index.html'];
const BYTES_MAX = 150 * 1024;

const dist = new URL('../dist/', import.meta.url);
const files = readdirSync(dist).sort();
if (files.join() !== EXPECTED.join()) {
  console.error(`dist/ should hold ${EXPECTED.join(', ')}, and holds ${files.join(', ')}`);
  process.exit(1);
}
let total = 0;
for (const file of files) {
  const bytes = gzipSync(readFileSync(new URL(file, dist)), { level: 9 }).length;
  console.log(`${String(bytes).padStart(7)} bytes  ${file} (gzip)`);
  total += bytes;
}
console.log(`${String(total).padStart(7)} bytes  of ${BYTES_MAX} at the most`);
if (total > BYTES_MAX) process.exit(1);
