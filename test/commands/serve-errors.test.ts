import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createHome, runProgram, serve } from './program.ts'

const isRoot = process.getuid?.() === 0

/** A port that another program listens on. */
async function takePort(): Promise<number> {
  const server = createServer()
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

test('a port in use is named in one sentence and the daemon exits with code 1', async () => {
  const port = await takePort()
  const home = createHome()
  const ended = await runProgram(['serve'], {
    APPRENTICE_HOME: home,
    APPRENTICE_PORT: String(port),
    APPRENTICE_PHONE: 'simulated',
  })
  expect(ended).toEqual({
    code: 1,
    stdout: '',
    stderr: `apprentice: Port ${port} is already in use; stop the program that uses it or set APPRENTICE_PORT to another port.\n`,
  })

  const daemon = await serve(home)
  expect(await daemon.stop()).toBe(0)
})

test('an address of another machine is named in one sentence', async () => {
  const ended = await runProgram(['serve'], {
    APPRENTICE_HOME: createHome(),
    APPRENTICE_HOST: '192.0.2.1',
    APPRENTICE_PORT: '0',
    APPRENTICE_PHONE: 'simulated',
  })
  expect(ended).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'apprentice: The address 192.0.2.1 does not belong to this machine; set APPRENTICE_HOST to another address.\n',
  })
})

function belowFile(): string {
  const file = join(createHome(), 'file')
  writeFileSync(file, '')
  return join(file, 'home')
}

function withoutWritePermission(): string {
  const home = join(createHome(), 'home')
  mkdirSync(home, { mode: 0o500 })
  return home
}

interface UnusableHome {
  readonly name: string
  readonly code: string
  readonly create: () => string
}

/** Root may write to folders without write permission. */
const unusableHomes: readonly UnusableHome[] = [
  { name: 'below a file', code: 'ENOTDIR', create: belowFile },
  ...(isRoot ? [] : [{ name: 'without write permission', code: 'EACCES', create: withoutWritePermission }]),
]

test.each(unusableHomes)('a home $name is refused in one sentence', async ({ code, create }) => {
  const home = create()
  const ended = await runProgram(['serve'], { APPRENTICE_HOME: home, APPRENTICE_PORT: '0' })
  expect(ended).toEqual({
    code: 1,
    stdout: '',
    stderr: `apprentice: The home ${home} cannot be written (${code}); set APPRENTICE_HOME to a folder you can write to.\n`,
  })
})

test('a file that is no database is refused in one sentence', async () => {
  const home = createHome()
  writeFileSync(join(home, 'apprentice.db'), 'This is not a database. '.repeat(100))
  const ended = await runProgram(['serve'], { APPRENTICE_HOME: home, APPRENTICE_PORT: '0' })
  expect(ended).toEqual({
    code: 1,
    stdout: '',
    stderr: 'apprentice: The database cannot be opened: file is not a database.\n',
  })
})

test('settings that are no JSON are refused with code 78', async () => {
  const home = createHome()
  writeFileSync(join(home, 'settings.json'), '{')
  const ended = await runProgram(['serve'], { APPRENTICE_HOME: home, APPRENTICE_PORT: '0' })
  expect(ended).toEqual({
    code: 78,
    stdout: '',
    stderr: 'apprentice: settings.json is not valid JSON.\n',
  })
})

test('a home whose database is gone is refused with code 66 until the loss is accepted', async () => {
  const home = createHome()
  const daemon = await serve(home)
  await expect.poll(() => existsSync(join(home, 'system'))).toBe(true)
  await daemon.stop()
  rmSync(join(home, 'apprentice.db'))
  const ended = await runProgram(['serve'], { APPRENTICE_HOME: home, APPRENTICE_PORT: '0' })
  expect([ended.code, ended.stdout]).toEqual([66, ''])
  expect(ended.stderr).toMatch(
    /^apprentice: This home had a database with \d+ commits, and apprentice\.db is missing\. In the home: system .*restore <folder>.*--accept-loss.*\n$/,
  )
  expect(existsSync(join(home, 'apprentice.db'))).toBe(false)
  const doctor = await runProgram(['doctor', '--json'], { APPRENTICE_HOME: home })
  expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining('apprentice.db is missing.')])

  const again = await serve(home, {}, undefined, { options: ['--accept-loss'] })
  expect(await again.stop()).toBe(0)
  expect(readdirSync(join(home, 'lost'))).toHaveLength(1)
})
