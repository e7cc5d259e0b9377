import { createPhone, type Phone } from '@apprentice/phone/phone.ts'
import { startAdbdDevice } from '@apprentice/phone/wire/adbd-device.ts'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { buildApk } from '../kit/build-apk.ts'
import { buildHelperApks, IME_PACKAGE, SNAPSHOT_PACKAGE } from '../kit/helper-apks.ts'
import { run } from './phone-shell.ts'
import { realAdbAvailable, startRealAdb } from './wire/real-adb.ts'

const NOTES = 'org.apprentice.notes'
const SERVICE = `${IME_PACKAGE}/.TestInputMethodService`
const RUNNER = `${SNAPSHOT_PACKAGE}/.SnapshotInstrumentation`
const PORT = 40_123

let apks: Awaited<ReturnType<typeof buildHelperApks>>
beforeAll(async () => {
  apks = await buildHelperApks()
})

async function install(phone: Phone, apk: Buffer, options = '-r -t'): Promise<string> {
  const stdin = (async function* () {
    // The sender waits for the answer and does not end the stream.
    yield await Promise.resolve(apk.subarray(0, 100))
    yield apk.subarray(100)
    await new Promise(() => {})
  })()
  return (await run(phone, `cmd package install ${options} -S ${apk.length}`, { stdin })).stdout
}

async function startSession(phone: Phone, port = PORT) {
  await install(phone, apks.snapshot)
  const controller = new AbortController()
  onTestFinished(() => controller.abort())
  const finished = run(phone, `am instrument -w -e sessionPort ${port} ${RUNNER}`, { signal: controller.signal })
  await new Promise(setImmediate)
  return { finished }
}

/** Sends one command to the session. */
async function ask(phone: Phone, command: string) {
  const chunks: Buffer[] = []
  let sent = false
  await phone.listener?.(PORT)?.({
    read: async () => {
      if (sent) return undefined
      sent = true
      return Promise.resolve(Buffer.from(`${command}\n`))
    },
    write: async (chunk) => void chunks.push(await Promise.resolve(chunk)),
    signal: new AbortController().signal,
  })
  return parseReply(Buffer.concat(chunks).toString())
}

function parseReply(text: string) {
  const end = text.indexOf('\n\n')
  const lines = text.slice(0, Math.max(0, end)).split('\n')
  const headers = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)))
  return { headers, body: end === -1 ? '' : text.slice(end + 2) }
}

async function focusTitle(phone: Phone): Promise<void> {
  await run(phone, `am start -n ${NOTES}/.NoteEditorActivity`)
  const field = phone.screenNodes().find(({ resourceId }) => resourceId === `${NOTES}:id/title`)
  const { left = 0, top = 0 } = field?.bounds ?? {}
  await run(phone, `input tap ${left + 50} ${top + 50}`)
}

describe('streamed installation', () => {
  it('installs a package that is listed with its version, and removes it', async () => {
    const phone = createPhone()
    expect(await install(phone, apks.snapshot)).toBe('Success\n')
    const list = `pm list packages --show-versioncode ${SNAPSHOT_PACKAGE}`
    expect((await run(phone, list)).stdout).toBe(`package:${SNAPSHOT_PACKAGE} versionCode:21005\n`)
    expect((await run(phone, `pm uninstall ${SNAPSHOT_PACKAGE}`)).stdout).toBe('Success\n')
    expect((await run(phone, list)).stdout).toBe('')
    expect((await run(phone, `pm uninstall ${SNAPSHOT_PACKAGE}`)).code).toBe(1)
  })

  it('opens an app with a launcher activity as a blank screen', async () => {
    const phone = createPhone()
    await install(phone, await buildApk({ packageName: 'com.example.tool', label: 'Tool', launcherActivity: '.Start' }))
    await run(phone, 'am start -n com.example.tool/.Start')
    expect(phone.foreground()).toMatchObject({ packageName: 'com.example.tool', activity: 'com.example.tool.Start' })
  })

  it.each([
    ['-r', undefined, 'INSTALL_FAILED_TEST_ONLY'],
    ['-t', 21_005, 'INSTALL_FAILED_ALREADY_EXISTS'],
    ['-r -t', 30_000, 'INSTALL_FAILED_VERSION_DOWNGRADE'],
  ])('with %s and version %s installed it answers %s', async (options, version, code) => {
    const phone = createPhone()
    if (version !== undefined) await install(phone, (await buildHelperApks(version)).snapshot)
    expect(await install(phone, apks.snapshot, options)).toContain(`Failure [${code}`)
  })

  it('refuses what is no APK, a newer Android, and what the person does not allow', async () => {
    const phone = createPhone()
    expect(await install(phone, Buffer.alloc(200))).toContain('INSTALL_PARSE_FAILED_NOT_APK')
    expect(await install(phone, await buildApk({ packageName: 'a.b', minSdk: 99 }))).toContain(
      'INSTALL_FAILED_OLDER_SDK',
    )
    phone.faults.set('installRefused', 1)
    expect(await install(phone, apks.ime)).toContain('INSTALL_FAILED_USER_RESTRICTED')
  })
})

describe('the snapshot helper', () => {
  it('reports a capture in chunks', async () => {
    const phone = createPhone()
    await install(phone, apks.snapshot)
    const { stdout } = await run(phone, `am instrument -w ${RUNNER}`)
    const chunks = [...stdout.matchAll(/STATUS: payloadBase64=(.*)/g)].map(([, text]) =>
      Buffer.from(text ?? '', 'base64'),
    )
    expect(Buffer.concat(chunks).toString()).toMatch(/^<\?xml.*<hierarchy rotation="0"><node .*<\/hierarchy>$/s)
    expect(stdout).toContain('INSTRUMENTATION_RESULT: ok=true\n')
    expect(stdout).toMatch(/INSTRUMENTATION_CODE: 0\n$/)
  })

  it('serves commands on a port until it is told to quit', async () => {
    const phone = createPhone()
    const { finished } = await startSession(phone)
    const { headers, body } = await ask(phone, 'snapshot r1')
    expect(headers).toMatchObject({
      agentDeviceProtocol: 'android-snapshot-helper-v1',
      helperApiVersion: '2',
      requestId: 'r1',
      ok: 'true',
      captureMode: 'interactive-windows',
      byteLength: String(Buffer.byteLength(body)),
    })
    expect((await ask(phone, 'viewport r2')).headers).toMatchObject({ ok: 'true', width: '1080', height: '2400' })
    expect((await ask(phone, 'dance r3')).headers).toMatchObject({ ok: 'false', message: 'unknown session command' })
    expect((await ask(phone, 'quit r4')).headers).toMatchObject({ ok: 'true' })
    const { stdout } = await finished
    expect(stdout).toContain('INSTRUMENTATION_STATUS: sessionReady=true\n')
    expect(stdout).toContain('INSTRUMENTATION_RESULT: sessionEnded=true\n')
    expect(phone.listener?.(PORT)).toBeUndefined()
  })

  it('lists all windows, but not what is checkable', async () => {
    const phone = createPhone()
    await startSession(phone)
    await focusTitle(phone)
    const { body } = await ask(phone, 'snapshot r1')
    expect([...body.matchAll(/window-type="(\d)"/g)].map(([, type]) => type)).toEqual(['3', '3', '2', '1'])
    expect([...body.matchAll(/window-active="true"/g)]).toHaveLength(1)
    expect(/text="Title" hint-showing="true" editable="true"/.test(body)).toBe(true)
    expect(/checkable|checked|long-clickable/.test(body)).toBe(false)
  })

  it('keeps uiautomator out while it reads screens, and not before or afterwards', async () => {
    const phone = createPhone()
    const { finished } = await startSession(phone)
    expect((await run(phone, 'uiautomator dump /dev/tty')).stdout).toContain('<hierarchy')
    await ask(phone, 'snapshot r1')
    expect((await run(phone, 'uiautomator dump /dev/tty')).stderr).toContain('already registered')
    await ask(phone, 'quit r2')
    await finished
    expect((await run(phone, 'uiautomator dump /dev/tty')).stdout).toContain('<hierarchy')
  })

  it('injects a planned touch, and refuses an invalid plan', async () => {
    const phone = createPhone()
    await startSession(phone)
    await run(phone, `am start -n ${NOTES}/.NoteListActivity`)
    const [button] = phone.screenNodes().filter(({ text }) => text === 'New note')
    const { left = 0, top = 0 } = button?.bounds ?? {}
    const at = { x: left + 20, y: top + 20 }
    const samples = [
      { offsetMs: 0, ...at },
      { offsetMs: 50, ...at },
    ]
    const plan = (kind: string) =>
      Buffer.from(
        JSON.stringify({
          protocol: 'android-touch-plan-v1',
          kind,
          durationMs: 50,
          pointers: [{ pointerId: 0, samples }],
        }),
      ).toString('base64')
    expect((await ask(phone, `gesture g1 ${plan('transform')}`)).headers).toMatchObject({ ok: 'false' })
    expect(phone.touches()).toBe(0)
    const { headers } = await ask(phone, `gesture g2 ${plan('swipe')}`)
    expect(headers).toMatchObject({ ok: 'true', kind: 'swipe', injectedEvents: '2' })
    expect(phone.foreground()?.activity).toBe(`${NOTES}.NoteEditorActivity`)
  })

  it('fails as on a phone: killed, without a port, cut off, failing and blind', async () => {
    const phone = createPhone()
    phone.faults.set('helperPortClosed', 1)
    await startSession(phone)
    expect(phone.listener?.(PORT)).toBeUndefined()
    const { finished } = await startSession(phone)
    phone.faults.set('helperTruncated', 1)
    const cut = await ask(phone, 'snapshot r1')
    expect(Buffer.byteLength(cut.body)).toBeLessThan(Number(cut.headers['byteLength']))
    phone.faults.set('helperBlind', 1)
    expect((await ask(phone, 'snapshot r2')).body).not.toContain('window-active="true"')
    phone.faults.set('helperFailed', 1)
    expect((await ask(phone, 'snapshot r3')).headers).toMatchObject({ ok: 'false' })
    phone.faults.set('helperKilled', 1)
    expect(await ask(phone, 'snapshot r4')).toEqual({ headers: expect.anything(), body: '' })
    expect((await finished).stdout).toContain('shortMsg=Process crashed.')
    const unknown = await run(phone, `am instrument -w ${IME_PACKAGE}/.Nothing`)
    expect(unknown).toMatchObject({ code: 1, stdout: expect.stringContaining('Unable to find instrumentation info') })
  })

  it('is killed by force-stop and by an update', async () => {
    const phone = createPhone()
    const first = await startSession(phone)
    await run(phone, `am force-stop ${SNAPSHOT_PACKAGE}`)
    expect((await first.finished).stdout).toContain('Process crashed')
    const second = await startSession(phone)
    await install(phone, apks.snapshot)
    expect((await second.finished).stdout).toContain('Process crashed')
  })
})

describe('the keyboard helper', () => {
  async function openField(phone: Phone): Promise<void> {
    await install(phone, apks.ime)
    await focusTitle(phone)
  }

  const send = (phone: Phone, text: string, extra = '') =>
    run(
      phone,
      `am broadcast -p ${IME_PACKAGE} -a ${IME_PACKAGE}.ACTION_INPUT_TEXT_B64 ${extra} --es text ${Buffer.from(text).toString('base64')}`,
    )

  const typed = (phone: Phone) => phone.screenNodes().find(({ focused }) => focused)?.text

  it('types exactly what it gets while it is selected, without a window of its own', async () => {
    const phone = createPhone()
    await openField(phone)
    await send(phone, 'nothing')
    expect(typed(phone)).toBe('Title')
    expect((await run(phone, `ime set ${SERVICE}`)).code).not.toBe(0)
    expect((await run(phone, 'ime list -s')).stdout).not.toContain(IME_PACKAGE)
    await run(phone, `ime enable ${SERVICE} && ime set ${SERVICE}`)
    await send(phone, 'ë Ö 😀 你好', '--es protocol android-ime-helper-v1')
    expect(typed(phone)).toBe('ë Ö 😀 你好')
    await send(phone, '!', '--es protocol another')
    expect(typed(phone)).toBe('ë Ö 😀 你好')
    expect((await run(phone, 'settings get secure default_input_method')).stdout.trim()).toBe(SERVICE)
    await run(phone, `am broadcast -p ${IME_PACKAGE} -a ${IME_PACKAGE}.ACTION_CLEAR_TEXT`)
    expect(typed(phone)).toBe('Title')
  })

  it('can be refused, and another keyboard is selected when it is removed', async () => {
    const phone = createPhone()
    await openField(phone)
    phone.faults.set('keyboardRefused', 1)
    expect((await run(phone, `ime enable ${SERVICE}`)).code).toBe(255)
    await run(phone, `ime enable ${SERVICE} && ime set ${SERVICE}`)
    await run(phone, `pm uninstall ${IME_PACKAGE}`)
    expect((await run(phone, 'settings get secure default_input_method')).stdout).toContain('LatinIME')
  })
})

describe.skipIf(!realAdbAvailable())('behind a real adb server', () => {
  it('is installed by `adb install -r -t` and answers behind `adb forward`', async () => {
    const phone = createPhone()
    const adbd = await startAdbdDevice({ host: phone })
    onTestFinished(() => adbd.close())
    const adb = await startRealAdb()
    onTestFinished(() => adb.stop())
    await adb.connect(adbd.port)
    const file = join(adb.home, 'helper.apk')
    await writeFile(file, apks.snapshot)
    expect((await adb.cli(['install', '-r', '-t', file])).stdout.toString()).toContain('Success')
    const session = adb.cli(['shell', 'am', 'instrument', '-w', '-e', 'sessionPort', String(PORT), RUNNER])
    const forward = (await adb.cli(['forward', 'tcp:0', `tcp:${PORT}`])).stdout.toString().trim()
    const { headers } = await askUntilAnswered(Number(forward), 'snapshot r1')
    expect(headers).toMatchObject({ ok: 'true', requestId: 'r1' })
    await askPort(Number(forward), 'quit r2')
    expect((await session).stdout.toString()).toContain('sessionEnded=true')
  })
})

/** The session may not listen yet: the connection is then closed without an answer. */
async function askUntilAnswered(port: number, command: string) {
  for (;;) {
    const text = await askPort(port, command)
    if (text !== '') return parseReply(text)
  }
}

function askPort(port: number, command: string): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => socket.write(`${command}\n`))
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', () => {})
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()))
  })
}
