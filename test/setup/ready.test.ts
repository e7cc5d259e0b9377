import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { hasMatchingHeaders } from '../../src/setup/native-build.mjs'

const SETUP_FOLDER = join(import.meta.dirname, '..', '..', 'src', 'setup')

/** An empty checkout with the set-up scripts in it, and a folder with an `npm` that runs this script. */
function createCheckout(npmScript: string) {
  const root = mkdtempSync(join(tmpdir(), 'apprentice-checkout-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  cpSync(SETUP_FOLDER, join(root, 'src', 'setup'), { recursive: true })
  writeFileSync(join(root, 'package-lock.json'), '{}')
  const bin = join(root, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\n${npmScript}\n`, { mode: 0o755 })
  return { root, bin }
}

async function runReady({ root, bin }: { root: string; bin: string }, env = {}) {
  const child = spawn(process.execPath, [join(root, 'src', 'setup', 'ready.mjs')], {
    env: {
      PATH: `${bin}:/bin:/usr/bin`,
      HOME: root,
      npm_lifecycle_event: 'prestart',
      // Without this the set-up tests whether the host of prebuilt programs can be reached.
      npm_config_build_from_source: 'better-sqlite3',
      ...env,
    },
  })
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  return { code: code as number, stderr }
}

test('a failed installation ends with one sentence, and its output is in the log file', async () => {
  const checkout = createCheckout(
    '[ "$1" = config ] && { echo undefined; exit; }\n' +
      'echo "npm error code 1"\necho "gyp ERR! stack Error: not found: make" >&2\nexit 1',
  )
  const { code, stderr } = await runReady(checkout)
  const log = join(checkout.root, 'node_modules', '.cache', 'apprentice', 'setup.log')
  expect(code).toBe(1)
  expect(stderr.trim().split('\n')).toEqual([
    '[apprentice] Installing packages (takes a few minutes if better-sqlite3 has to be compiled) …',
    '',
    'Setting up failed: better-sqlite3 could not be compiled because make is missing. ' +
      `Install g++ and make, then run npm start again. Details: ${log}`,
  ])
  expect(readFileSync(log, 'utf8')).toBe('npm error code 1\ngyp ERR! stack Error: not found: make\n')
})

test('an unknown failure names the command, its exit code and the log file', async () => {
  const { code, stderr } = await runReady(createCheckout('exit 7'), {
    npm_lifecycle_event: 'pretest',
  })
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /Setting up failed: "npm ci [^"]+" failed with exit code 7\. Read the details, then run npm test again\. Details: \S+setup\.log\n$/,
  )
})

test('a missing npm is named', async () => {
  const checkout = createCheckout('')
  const { code, stderr } = await runReady({ ...checkout, bin: checkout.root }, { PATH: '/nowhere' })
  expect(code).toBe(1)
  expect(stderr).toContain('Setting up failed: npm could not be started')
  expect(stderr).toContain('Install npm, then run npm start again.')
})

test('packages are compiled against the headers beside Node, unless a folder is configured', async () => {
  const prefix = dirname(dirname(process.execPath))
  const printSettings = (configured: string) =>
    `[ "$1" = config ] && { echo ${configured}; exit; }\n` +
    'echo "nodedir=$npm_config_nodedir" > "$HOME/settings"\nexit 1'
  const expected = hasMatchingHeaders(prefix) ? prefix : ''
  const plain = createCheckout(printSettings('undefined'))
  await runReady(plain)
  expect(readFileSync(join(plain.root, 'settings'), 'utf8')).toBe(`nodedir=${expected}\n`)
  const configured = createCheckout(printSettings('/opt/node'))
  await runReady(configured)
  expect(readFileSync(join(configured.root, 'settings'), 'utf8')).toBe('nodedir=\n')
  const fromEnvironment = createCheckout(printSettings('undefined'))
  await runReady(fromEnvironment, { npm_config_nodedir: '/opt/other' })
  expect(readFileSync(join(fromEnvironment.root, 'settings'), 'utf8')).toBe('nodedir=/opt/other\n')
})

test('headers of another Node are not used', () => {
  const prefix = mkdtempSync(join(tmpdir(), 'apprentice-headers-'))
  onTestFinished(() => rmSync(prefix, { recursive: true }))
  expect(hasMatchingHeaders(prefix)).toBe(false)
  mkdirSync(join(prefix, 'include', 'node'), { recursive: true })
  const write = (abi: string) =>
    writeFileSync(join(prefix, 'include', 'node', 'node_version.h'), `#define NODE_MODULE_VERSION ${abi}\n`)
  write('1')
  expect(hasMatchingHeaders(prefix)).toBe(false)
  write(process.versions.modules)
  expect(hasMatchingHeaders(prefix)).toBe(true)
})
