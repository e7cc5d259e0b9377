import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { EXIT_CODES } from '../../src/commands/terminal/exit-codes.ts'
import { realAdbAvailable, startRealAdb } from '../phone/wire/real-adb.ts'
import { InteractiveProgram } from './interactive-program.ts'
import { createHome, runProgram } from './program.ts'

const CLIMATE = join(import.meta.dirname, '..', '..', 'src', 'phone', 'apps', 'climate.json')

test.skipIf(!realAdbAvailable())('an adb server connects to the simulated phone until Ctrl-C', async () => {
  const folder = createHome()
  const app = JSON.parse(readFileSync(CLIMATE, 'utf8')) as object
  writeFileSync(join(folder, 'heating.json'), JSON.stringify({ ...app, package: 'org.example.heating' }))
  const program = startPhone('--apps', folder, '--model', 'Lab Phone', '--serial', 'LAB-1')
  const line = await program.waitFor('\n')
  const port = Number(
    /^The simulated phone LAB-1 is ready\. Connect to it with: adb connect 127\.0\.0\.1:(\d+)\n$/.exec(line)?.[1],
  )

  const adb = await startRealAdb()
  onTestFinished(() => adb.stop())
  expect(await adb.connect(port)).toBe(`connected to 127.0.0.1:${port}`)
  const shell = async (...words: readonly string[]) => (await adb.cli(['shell', ...words])).stdout.toString()
  expect(await shell('getprop', 'ro.product.model')).toBe('Lab Phone\n')
  expect(await shell('am', 'start', '-W', '-p', 'org.example.heating')).toContain('Status: ok')
  expect(await shell('uiautomator', 'dump', '/dev/tty')).toContain('package="org.example.heating"')

  program.interrupt()
  expect(await program.end()).toMatchObject({ code: EXIT_CODES.ok, stderr: '' })
})

test('the port must be free and the apps readable', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  onTestFinished(() => void taken.close())
  const { port } = taken.address() as AddressInfo
  const busy = await runProgram(['phone', '--adbd', String(port)], {})
  expect([busy.code, busy.stdout]).toEqual([EXIT_CODES.failure, ''])
  expect(busy.stderr).toContain(`cannot listen on 127.0.0.1 port ${port}: another program uses it.`)

  for (const [text, words] of [
    ["option '--adbd <port>' not specified", []],
    ['Expected a port number from 0 to 65535.', ['--adbd', '70000']],
    ['Apps that cannot be read:', ['--adbd', '0', '--apps', join(createHome(), 'none')]],
  ] as const) {
    const refused = await runProgram(['phone', ...words], {})
    expect([refused.code, refused.stdout]).toEqual([EXIT_CODES.usage, ''])
    expect(refused.stderr).toContain(text)
  }
})

function startPhone(...options: readonly string[]): InteractiveProgram {
  return new InteractiveProgram(
    ['phone', '--adbd', '0', ...options],
    { PATH: process.env['PATH'] ?? '' },
    onTestFinished,
  )
}
