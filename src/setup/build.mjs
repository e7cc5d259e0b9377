// Builds the program into dist/. Two thousand modules become a few files, which load in less than half the time.
// Types are not checked here.
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const outdir = join(root, 'dist')
/** Packages that read files of their own when they run (a native library, a web page), or are loaded with `require`. */
const SEPARATE_PACKAGES = ['@devicefarmer/adbkit', '@fastify/swagger', '@fastify/swagger-ui', 'better-sqlite3']
/** Bundled CommonJS packages load the modules of Node with `require`. */
const DEFINE_REQUIRE =
  "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);"

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ['src/main.ts'],
  outdir,
  bundle: true,
  splitting: true,
  external: SEPARATE_PACKAGES,
  banner: { js: DEFINE_REQUIRE },
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  sourcemap: true,
  logLevel: 'warning',
  write: false,
})
// The old program is removed only after the new one was built without errors.
rmSync(outdir, { recursive: true, force: true })
mkdirSync(outdir, { recursive: true })
for (const { path, contents } of outputFiles) writeFileSync(path, contents)
if (process.platform !== 'win32') linkCommand()

/** npm links the commands of installed packages, but not that of the checkout itself; `npx apprentice` needs it. */
function linkCommand() {
  const folder = join(root, 'node_modules', '.bin')
  const link = join(folder, 'apprentice')
  chmodSync(join(outdir, 'main.js'), 0o755)
  mkdirSync(folder, { recursive: true })
  rmSync(link, { force: true })
  symlinkSync(join('..', '..', 'dist', 'main.js'), link)
}
