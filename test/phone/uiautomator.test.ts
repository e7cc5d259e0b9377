import { expect, test } from 'vitest'
import { createPhone, LATENCY_PROFILES } from '@apprentice/phone/phone.ts'
import { dump, dumpXml, find, launch, manualPhone, parseDump, run, tap, type } from './phone-shell.ts'

const ATTRIBUTES = [
  'index',
  'text',
  'resource-id',
  'class',
  'package',
  'content-desc',
  'checkable',
  'checked',
  'clickable',
  'enabled',
  'focusable',
  'focused',
  'scrollable',
  'long-clickable',
  'password',
  'selected',
  'bounds',
]

test('a dump is written to the default file and reported with the spelling of Android', async () => {
  const { phone } = manualPhone()
  const ran = await run(phone, 'uiautomator dump')
  expect(ran).toMatchObject({
    code: 0,
    stdout: 'UI hierchary dumped to: /sdcard/window_dump.xml\n',
    stderr: '',
  })
  const xml = phone.files.read('/storage/emulated/0/window_dump.xml')?.toString() ?? ''
  expect(xml).toMatch(/^<\?xml version='1\.0' encoding='UTF-8' standalone='yes' \?><hierarchy rotation="0"><node /)
  expect(xml.endsWith('</node></hierarchy>')).toBe(true)
  expect(xml).not.toContain('\n')
})

test('a dump to /dev/tty precedes the message on its line, even when stdout is redirected', async () => {
  const { phone } = manualPhone()
  const ran = await run(phone, 'uiautomator dump /dev/tty')
  expect(ran.stdout).toMatch(/<\/hierarchy>UI hierchary dumped to: \/dev\/tty\n$/)
  const silenced = await run(phone, 'uiautomator dump /dev/tty >/dev/null')
  expect(silenced.stdout).toMatch(/<\/hierarchy>$/)
})

test('every node has the attributes of Android in their order', async () => {
  const { phone } = manualPhone()
  const nodes = await dump(phone)
  expect(nodes.length).toBeGreaterThan(10)
  for (const { attributes } of nodes) {
    expect(Object.keys(attributes).filter((name) => name !== 'NAF')).toEqual(ATTRIBUTES)
  }
})

test('only a clickable node without a label has the attribute NAF', async () => {
  const { phone } = manualPhone()
  await launch(phone, 'org.apprentice.climate')
  await tap(phone, 'Lobby')
  const marked = (await dump(phone)).filter(({ attributes }) => attributes['NAF'] === 'true')
  expect(marked).toEqual([])
  phone.popUp({ title: 'x', content: [{ type: 'image', on_tap: [] }] as never })
  const [naf, ...others] = (await dump(phone)).filter(({ attributes }) => 'NAF' in attributes)
  expect(naf?.attributes['class']).toBe('android.widget.ImageButton')
  expect(Object.keys(naf?.attributes ?? {})[0]).toBe('NAF')
  expect(others).toEqual([])
})

test('markup, quotes, line ends and emoji are escaped as valid XML', async () => {
  const { phone } = manualPhone()
  const title = `a<b>&"c" 'd'\ttab\nline 😀 bell\u0007 end`
  phone.setState('org.apprentice.notes', {
    saved: { notes: [{ id: 1, title, body: '"only double"' }] },
  })
  await launch(phone, 'org.apprentice.notes')
  const xml = await dumpXml(phone)
  expect(xml).toContain('&#128512;')
  expect(xml).toContain(`text='"only double"'`)
  const displayed = parseDump(xml).map(({ attributes }) => attributes['text'])
  expect(displayed).toContain(title.replace('\u0007', '.'))
  expect(displayed).toContain('"only double"')
})

test('--compressed omits layout boxes and keeps all labels', async () => {
  const { phone } = manualPhone()
  const full = await dump(phone)
  const ran = await run(phone, 'uiautomator dump --compressed /sdcard/c.xml; cat /sdcard/c.xml')
  const small = parseDump(ran.stdout.slice(ran.stdout.indexOf('<?xml')))
  const labels = (nodes: typeof full) =>
    nodes.map(({ attributes }) => attributes['text'] || attributes['content-desc']).filter(Boolean)
  expect(small.length).toBeLessThan(full.length)
  expect(labels(small)).toEqual(labels(full))
})

test('only the active window is dumped: a dialog hides the screen below it', async () => {
  const { phone } = manualPhone()
  await launch(phone, 'org.apprentice.climate')
  await tap(phone, 'Lobby')
  await tap(phone, 'save')
  const nodes = await dump(phone)
  expect(nodes[0]?.box.left).toBeGreaterThan(0)
  expect(nodes.some(({ attributes }) => attributes['text'] === 'Temperature')).toBe(false)
  expect((await find(phone, 'android:id/button1')).attributes['text']).toBe('Save')
})

test('a dump contains dots for a password and the attribute password', async () => {
  const { phone } = manualPhone()
  await launch(phone, 'org.apprentice.portal')
  expect((await find(phone, 'password')).attributes).toMatchObject({
    text: 'Password',
    password: 'true',
  })
  await type(phone, 'password', 'engine')
  const xml = await dumpXml(phone)
  expect((await find(phone, 'password')).attributes).toMatchObject({
    text: '••••••',
    focused: 'true',
  })
  expect(xml).not.toContain('engine')
})

test.each([
  ['dumpNeverIdle', 0, '', 'ERROR: could not get idle state.\n'],
  ['dumpNullRoot', 0, '', 'ERROR: null root node returned by UiTestAutomationBridge.\n'],
  ['dumpCrash', 1, '', ''],
  ['dumpKilled', 137, '', 'Killed\n'],
] as const)('fault %s exits %i and writes no file', async (fault, code, stdout, stderr) => {
  const { phone } = manualPhone()
  phone.faults.set(fault, 1)
  expect(await run(phone, 'uiautomator dump /sdcard/f.xml')).toMatchObject({ code, stdout, stderr })
  expect(phone.files.stat('/sdcard/f.xml')).toBeUndefined()
  expect((await run(phone, 'uiautomator dump /sdcard/f.xml')).stdout).toContain('hierchary')
  expect(phone.files.stat('/sdcard/f.xml')).toBeDefined()
})

test('a second UiAutomation client gets the error of Android', async () => {
  const { phone } = manualPhone()
  phone.faults.set('dumpSecondClient', 1)
  const ran = await run(phone, 'uiautomator dump /sdcard/f.xml')
  expect(ran.code).toBe(137)
  expect(ran.stderr).toMatch(/IllegalStateException: UiAutomationService .*already registered!/)
})

test('of two concurrent dumps, the first succeeds and the second fails', async () => {
  const latency = { ...LATENCY_PROFILES.realistic, dumpMs: 30 }
  const phone = createPhone({ latency })
  const [first, second] = await Promise.all([
    run(phone, 'uiautomator dump /sdcard/1.xml'),
    run(phone, 'uiautomator dump /sdcard/2.xml'),
  ])
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(second.stderr).toContain('already registered')
  expect(phone.files.stat('/sdcard/2.xml')).toBeUndefined()
})

test('a truncated dump lacks its end, a stale dump keeps the old file, and both report success', async () => {
  const { phone } = manualPhone()
  await run(phone, 'uiautomator dump /sdcard/f.xml')
  const good = phone.files.read('/sdcard/f.xml')?.toString() ?? ''
  await launch(phone, 'org.apprentice.notes')
  phone.faults.set('dumpStaleFile', 1)
  expect((await run(phone, 'uiautomator dump /sdcard/f.xml')).stdout).toContain('dumped to')
  expect(phone.files.read('/sdcard/f.xml')?.toString()).toBe(good)
  phone.faults.set('dumpTruncated', 1)
  expect((await run(phone, 'uiautomator dump /sdcard/f.xml')).code).toBe(0)
  expect(phone.files.read('/sdcard/f.xml')?.toString()).not.toContain('</hierarchy>')
})

test('fault dumpGarbagePrefix prints a line before the XML and dumpNoTty omits the XML', async () => {
  const { phone } = manualPhone()
  phone.faults.set('dumpGarbagePrefix', 1)
  expect((await run(phone, 'uiautomator dump /dev/tty')).stdout).toMatch(/^WARNING[^\n]*\n<\?xml/)
  phone.faults.set('dumpNoTty', 1)
  expect((await run(phone, 'uiautomator dump /dev/tty')).stdout).toBe('UI hierchary dumped to: /dev/tty\n')
})

test('a dump to a read-only path reports success and logs the error', async () => {
  const { phone } = manualPhone()
  const ran = await run(phone, 'uiautomator dump /system/x.xml')
  expect(ran).toMatchObject({
    code: 0,
    stdout: 'UI hierchary dumped to: /system/x.xml\n',
    stderr: '',
  })
  expect((await run(phone, 'logcat -d')).stdout).toContain('open failed: Read-only file system')
})

test('a dump fails while the screen is off and contains the lock screen while it is locked', async () => {
  const { phone } = manualPhone()
  phone.setScreen('off')
  expect((await run(phone, 'uiautomator dump')).stderr).toContain('null root node')
  expect(phone.screenNodes()).toEqual([])
  phone.setScreen('locked')
  expect((await find(phone, 'keyguard_indication_text')).attributes['package']).toBe('com.android.systemui')
  phone.setScreen('on')
  expect((await dump(phone))[0]?.attributes['package']).toBe('com.android.launcher3')
})

test('an unknown subcommand prints the usage', async () => {
  const { phone } = manualPhone()
  const ran = await run(phone, 'uiautomator dmp')
  expect(ran.code).toBe(1)
  expect(ran.stderr).toContain('dump: creates an XML dump')
})
