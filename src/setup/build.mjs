// Builds the program into dist/. Two thousand modules become one file, which loads in a fraction of the time; commands
// of clients and workers have files of their own.
// Types are not checked here.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { buildDashboard } from './build-dashboard.mjs'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const outdir = join(root, 'dist')
const mainFile = join(outdir, 'main.js')
/** Packages that read files of their own when they run: a native library, web pages, scripts for pages. */
const FILE_PACKAGES = ['@fastify/swagger', '@fastify/swagger-ui', 'better-sqlite3', 'playwright-core']
/** Packages of `src/traces`, which few daemons load. */
const TRACE_PACKAGES = ['core', 'exporter-trace-otlp-http', 'resources', 'sdk-trace']
/** Packages of device hosts, which are loaded only where Redis is configured. */
const HOST_PACKAGES = ['bullmq', 'ioredis']
const SEPARATE_PACKAGES = [
  ...FILE_PACKAGES,
  ...HOST_PACKAGES,
  ...TRACE_PACKAGES.map((name) => `@opentelemetry/${name}`),
]

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: {
    program: 'src/main.ts',
    client: 'src/commands/client-program.ts',
    worker: 'src/workers/worker-main.ts',
    browser: 'src/browser/browser-process.ts',
  },
  outdir,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  external: SEPARATE_PACKAGES,
  // undici asks for the global headers to accept them in its functions for cookies, which nobody uses here. The first
  // use of that global loads the whole client of Node a second time.
  define: { 'import.meta.url': 'moduleUrl', 'globalThis.Headers': 'undefined' },
  banner: { js: "const moduleUrl = require('node:url').pathToFileURL(__filename).href;" },
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  // The program is loaded as a script, which has no loader for modules: packages outside are loaded by require.
  supported: { 'dynamic-import': false },
  logLevel: 'warning',
  write: false,
})
// The old program is removed only after the new one was built without errors.
rmSync(outdir, { recursive: true, force: true })
mkdirSync(outdir, { recursive: true })
for (const { path, contents } of outputFiles) writeFileSync(path, contents)
copyFileSync(join(root, 'src', 'setup', 'load-program.mjs'), mainFile)
await buildDashboard(root)
await storeCompiledCode()
if (process.platform !== 'win32') linkCommand()

/**
 * Runs a daemon in a temporary home until it listens, and a command of a client. When they end they store the code that
 * was compiled on the way, which later starts reuse. A process that does not start here leaves none, and later starts
 * compile as usual.
 */
async function storeCompiledCode() {
  const home = mkdtempSync(join(tmpdir(), 'apprentice-build-'))
  const start = (args, stdout) =>
    spawn(process.execPath, [mainFile, ...args], {
      stdio: ['ignore', stdout, 'ignore'],
      env: {
        PATH: process.env['PATH'],
        APPRENTICE_HOME: home,
        APPRENTICE_PORT: '0',
        APPRENTICE_PHONE: 'simulated',
        APPRENTICE_SYNC: 'normal',
        APPRENTICE_CODE_CACHE: 'write',
      },
    })
  const daemon = start(['serve'], 'pipe')
  // The line with the address is printed when the daemon can be stopped in an orderly way.
  daemon.stdout.on('data', (text) => {
    const address = /"url":"([^"]+)"/.exec(String(text))?.[1]
    if (address !== undefined) start(['devices', '--url', address], 'ignore').on('close', () => daemon.kill('SIGTERM'))
  })
  await once(daemon, 'close')
  rmSync(home, { recursive: true, force: true })
}

/** npm links the commands of installed packages, but not that of the checkout itself; `npx apprentice` needs it. */
function linkCommand() {
  const folder = join(root, 'node_modules', '.bin')
  const link = join(folder, 'apprentice')
  chmodSync(mainFile, 0o755)
  mkdirSync(folder, { recursive: true })
  rmSync(link, { force: true })
  symlinkSync(join('..', '..', 'dist', 'main.js'), link)
}
