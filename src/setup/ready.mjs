// Prepares a checkout: installs the packages and builds the program, unless neither has changed since the last time.
// Uses nothing but Node itself, because nothing else is installed yet.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { formatFailure } from './failure-message.mjs'
import { chooseBuildSettings } from './native-build.mjs'
import { again, CACHE_FOLDER, exitWith, ROOT, runCommand } from './run-command.mjs'

const NEEDED_NODE = [20, 19]

requireNode()
await runOnce('installed', hashLockFile(), async () =>
  runCommand('Installing packages', 'npm', {
    args: ['ci', '--no-audit', '--no-fund', '--loglevel=error'],
    hint: ' (takes a few minutes if better-sqlite3 has to be compiled)',
    env: await chooseBuildSettings(),
  }),
)
await runOnce('built', hashSources(['package.json', 'contracts', 'src']), () =>
  runCommand('Building', process.execPath, {
    args: [join(dirname(fileURLToPath(import.meta.url)), 'build.mjs')],
  }),
)

/** Does the work unless its stamp file holds this hash already. */
async function runOnce(name, hash, work) {
  const stamp = join(CACHE_FOLDER, name)
  const isDone = existsSync(stamp) && readFileSync(stamp, 'utf8') === hash
  if (isDone && (name !== 'built' || existsSync(join(ROOT, 'dist', 'main.js')))) return
  await work()
  mkdirSync(CACHE_FOLDER, { recursive: true })
  writeFileSync(stamp, hash)
}

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  const [neededMajor, neededMinor] = NEEDED_NODE
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return
  const problem = `Node ${NEEDED_NODE.join('.')} or newer is needed and this is ${process.version}`
  exitWith(formatFailure({ problem, remedy: 'Install a newer Node' }, { command: again() }))
}

/**
 * Hashes names, sizes and times only: reading every file would take longer than it saves. The build stores code that is
 * compiled for one version of Node.
 */
function hashSources(paths) {
  const hash = createHash('sha256').update(process.version)
  const visit = (path) => {
    const stat = statSync(path)
    if (!stat.isDirectory()) hash.update(`${path}:${stat.size}:${stat.mtimeMs}\n`)
    else for (const name of readdirSync(path).toSorted()) visit(join(path, name))
  }
  for (const path of paths) visit(join(ROOT, path))
  return hash.digest('hex')
}

/** Native packages are compiled for one version of Node, so the version is part of the hash. */
function hashLockFile() {
  const lock = readFileSync(join(ROOT, 'package-lock.json'))
  return createHash('sha256').update(lock).update(process.version).digest('hex')
}
