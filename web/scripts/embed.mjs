// Builds the app and writes it as a C++ source that the binary carries: `node web/scripts/embed.mjs OUT.cpp`.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const web = fileURLToPath(new URL('..', import.meta.url));
const FILES = [
  ['/', 'index.html', 'text/html; charset=utf-8'],
  ['/app.js', 'app.js', 'text/javascript; charset=utf-8'],
  ['/app.css', 'app.css', 'text/css; charset=utf-8'],
  ['/icon.svg', 'icon.svg', 'image/svg+xml'],
];

// What a tool has to say matters only when it fails.
function run(program, ...words) {
  try {
    execFileSync(program, words, { cwd: web, stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (failure) {
    process.stderr.write(`${failure.stdout ?? ''}${failure.stderr ?? ''}`);
    console.error(`web: \`${program} ${words.join(' ')}\` failed`);
    process.exit(1);
  }
}

function isInstalled() {
  const mark = join(web, 'node_modules', '.package-lock.json');
  return existsSync(mark) && statSync(mark).mtimeMs >= statSync(join(web, 'package-lock.json')).mtimeMs;
}

const bytesOf = (buffer) => Array.from(buffer).join(',').replace(/(.{1,110},)/g, '$1\n    ');

const [out] = process.argv.slice(2);
if (!out) {
  console.error('usage: node web/scripts/embed.mjs OUT.cpp');
  process.exit(2);
}
if (!isInstalled()) run('npm', 'install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund');
run('npm', 'run', 'build');

let arrays = '';
let rows = '';
for (const [index, [path, file, type]] of FILES.entries()) {
  const plain = readFileSync(join(web, 'dist', file));
  const packed = gzipSync(plain, { level: 9 });
  arrays += `constexpr unsigned char plain_${index}[] = {\n    ${bytesOf(plain)}};\n`;
  arrays += `constexpr unsigned char packed_${index}[] = {\n    ${bytesOf(packed)}};\n`;
  rows += `        {"${path}", "${type}", text(plain_${index}), text(packed_${index})},\n`;
}
const source = `#include "net/web_files.hpp"

namespace belfry::net {
namespace {

${arrays}
template <std::size_t size>
std::string_view text(const unsigned char (&bytes)[size]) {
    return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

std::span<const WebFile> web_files() {
    static const WebFile files[] = {
${rows}    };
    return files;
}

}  // namespace belfry::net
`;
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, source);
