import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readTarEntry } from '../../src/commands/devices/tar-entry.ts'
import { PINNED_HELPERS } from '../../src/devices/driver/pinned-helpers.ts'
import { findAgentDevice } from '../../src/setup/newer-node.mjs'
import { buildHelperApks } from '../kit/helper-apks.ts'
import { createHome, runProgram, serve } from './program.ts'

const SERIAL = 'SIMULATED01'
const installed = findAgentDevice(join(import.meta.dirname, '../../node_modules/.cache/apprentice'))
if (installed === undefined)
  console.warn('agent-device is not installed: its APKs are not tried (npm test installs it)')

const createFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'preparation-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A program `npm` whose `pack` gives this package folder, as the registry would. Returns the PATH that finds it. */
function pathWithNpm(packageFolder: string): string {
  const folder = createFolder()
  const script = `#!/bin/sh\n[ "$1" = pack ] && exec tar czf "$4/agent-device.tgz" --transform 's#^\\.#package#' -C '${packageFolder}' .\nexit 1\n`
  writeFileSync(join(folder, 'npm'), script)
  chmodSync(join(folder, 'npm'), 0o755)
  return `${folder}${delimiter}${process.env['PATH'] ?? ''}`
}

async function startWithPhone(packageFolder: string) {
  const home = createHome()
  const { url } = await serve(home, { APPRENTICE_PHONE: 'simulated' })
  const env = { APPRENTICE_HOME: home, PATH: pathWithNpm(packageFolder) }
  return (...args: readonly string[]) => runProgram(['devices', ...args, '--url', url], env)
}

test('a package whose APKs do not have the pinned hashes is not used, nor is such a file', async () => {
  const folder = createFolder()
  const { snapshot, ime } = await buildHelperApks()
  for (const { name, path } of PINNED_HELPERS) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), name === 'snapshot' ? snapshot : ime)
  }
  const devices = await startWithPhone(folder)
  const downloaded = await devices('prepare', SERIAL)
  expect([downloaded.code, downloaded.stdout]).toEqual([1, ''])
  expect(downloaded.stderr).toContain('does not have the pinned SHA-256')
  const given = await devices('prepare', SERIAL, '--apk', join(folder, PINNED_HELPERS[0]?.path ?? ''))
  expect(given.code).toBe(1)
  expect(given.stderr).toContain('DEVICE_PREPARATION_FAILED')
  expect((await devices('prepared', SERIAL)).stdout).toMatch(/prepared +no/)
})

test.skipIf(installed === undefined)('prepare, prepared, report and unprepare with the real APKs', async () => {
  const devices = await startWithPhone(installed ?? '')
  const prepared = await devices('prepare', SERIAL)
  expect(prepared.stderr).toBe('')
  expect(prepared.stdout).toMatch(/prepared +with 0\.21\.5/)
  expect((await devices()).stdout).toContain('helper 0.21.5')
  const file = join(createFolder(), 'report.json')
  const report = await devices('report', SERIAL, '--out', file)
  expect(report.stdout).toMatch(/helper +\d+, \d+, \d+, \d+, \d+ ms, start \d+ ms/)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ simulated: true, prepared_version: '0.21.5' })
  expect((await devices('unprepare', SERIAL)).stdout).toMatch(/snapshot helper +not installed/)
  const files = PINNED_HELPERS.map(({ path }) => join(installed ?? '', path))
  expect((await devices('prepare', SERIAL, '--apk', ...files)).stdout).toMatch(/keyboard helper +21005/)
})

test('a file in a tar file is found by its whole path', () => {
  expect(readTarEntry(Buffer.alloc(1024), 'package/a')).toBeUndefined()
  expect(readTarEntry(Buffer.from('not a tar file'.repeat(60)), 'package/a')).toBeUndefined()
})
