// Makes a fresh clone ready to start or to test. Uses nothing but Node itself, because nothing else is there yet.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { missingPackages } from './system-packages.mjs'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const stamps = join(root, 'node_modules', '.cache', 'apprentice')
const purpose = process.argv[2]

requireNode(20, 19)
await step(
  'installed',
  sha256(readFileSync(join(root, 'package-lock.json'))),
  'Installing packages',
  ['npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']],
)
await step('built', fingerprint(['contracts', 'src']), 'Building', [
  process.execPath,
  [join(root, 'src', 'setup', 'build.mjs')],
])
if (purpose === 'test') await installSystemPackages()

/** Runs a command unless its stamp says that nothing has changed since it last succeeded. */
async function step(name, fresh, label, [command, args]) {
  const stamp = join(stamps, name)
  const done = existsSync(stamp) && readFileSync(stamp, 'utf8') === fresh
  if (done && (name !== 'built' || existsSync(join(root, 'dist', 'main.js')))) return
  await run(label, command, args)
  mkdirSync(stamps, { recursive: true })
  writeFileSync(stamp, fresh)
}

async function installSystemPackages() {
  const missing = missingPackages()
  if (missing.length === 0) return
  const names = missing.map(({ name }) => name)
  const debian = existsSync('/etc/debian_version') && process.getuid?.() === 0
  if (!debian) {
    say(
      `Not installed here: ${names.join(', ')}. The suites that need them will be skipped and counted.`,
    )
    return
  }
  await run('Updating package lists', 'apt-get', ['update', '-qq'])
  await run(`Installing ${names.join(', ')}`, 'apt-get', [
    'install',
    '-y',
    '-qq',
    '--no-install-recommends',
    ...names,
  ])
}

/** Shows that something is going on, and everything the command said if it fails. */
function run(label, command, args) {
  const began = Date.now()
  const seconds = () => Math.round((Date.now() - began) / 1000)
  say(`${label} …`)
  const tick = setInterval(() => say(`${label} … ${seconds()} s`), 15_000)
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
    const said = []
    child.stdout.on('data', (chunk) => said.push(chunk))
    child.stderr.on('data', (chunk) => said.push(chunk))
    child.on('error', (error) => fail(label, error.message))
    child.on('close', (code) => {
      clearInterval(tick)
      if (code !== 0) fail(label, Buffer.concat(said).toString())
      say(`${label} … done in ${seconds()} s`)
      resolve()
    })
  })
}

function fail(label, why) {
  process.stderr.write(`\n${why}\n${label} failed.\n`)
  process.exit(1)
}

function say(line) {
  process.stderr.write(`[apprentice] ${line}\n`)
}

function requireNode(major, minor) {
  const [ownMajor, ownMinor] = process.versions.node.split('.').map(Number)
  if (ownMajor > major || (ownMajor === major && ownMinor >= minor)) return
  fail('Setting up', `Node ${major}.${minor} or newer is needed; this is ${process.versions.node}.`)
}

/** Names, sizes and times of all files: reading them all would cost more than it saves. */
function fingerprint(places) {
  const hash = createHash('sha256')
  const visit = (path) => {
    const stat = statSync(path)
    if (!stat.isDirectory()) hash.update(`${path}:${stat.size}:${stat.mtimeMs}\n`)
    else for (const name of readdirSync(path).toSorted()) visit(join(path, name))
  }
  for (const place of places) visit(join(root, place))
  return hash.digest('hex')
}

function sha256(bytes) {
  return createHash('sha256').update(bytes).update(process.version).digest('hex')
}
