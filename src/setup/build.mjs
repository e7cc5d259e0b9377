// Builds the program into dist/. Nine hundred modules become a few files, which load in less than half the time.
// Installed packages are not bundled, and types are not checked here.
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const outdir = join(root, 'dist')
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ['src/main.ts'],
  outdir,
  bundle: true,
  splitting: true,
  // Installed packages stay external; our own workspace packages become part of the program.
  external: Object.keys(dependencies),
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
