import { expect, test } from 'vitest'
import { manualPhone, run } from './phone-shell.ts'

test('getprop prints one property, a default, or all properties', async () => {
  const { phone } = manualPhone({ model: 'Test 9', props: { 'ro.test': 'yes' } })
  const out = async (command: string) => (await run(phone, command)).stdout
  expect(await out('getprop ro.product.model')).toBe('Test 9\n')
  expect(await out('getprop ro.test')).toBe('yes\n')
  expect(await out('getprop ro.nothing')).toBe('\n')
  expect(await out('getprop ro.nothing fallback')).toBe('fallback\n')
  expect(await out('getprop')).toContain('[ro.build.version.sdk]: [34]\n')
  expect((await run(phone, 'setprop ro.product.model x')).code).toBe(1)
})

test('wm prints size and density', async () => {
  const { phone } = manualPhone()
  expect((await run(phone, 'wm size; wm density')).stdout).toBe('Physical size: 1080x2400\nPhysical density: 420\n')
  expect((await run(phone, 'wm frob')).code).toBe(255)
})

test('settings are read, written, listed and deleted', async () => {
  const { phone } = manualPhone()
  const out = async (command: string) => (await run(phone, command)).stdout
  expect(await out('settings get system nothing')).toBe('null\n')
  expect(await out('settings put global window_animation_scale 0')).toBe('')
  expect(await out('settings get global window_animation_scale')).toBe('0\n')
  expect(await out('settings --user 0 get global window_animation_scale')).toBe('0\n')
  expect(await out('settings list system')).toContain('screen_brightness=102\n')
  expect(await out('settings delete system screen_brightness')).toBe('Deleted 1 rows\n')
  expect(await out('settings get system screen_brightness')).toBe('null\n')
  expect((await run(phone, 'settings get nowhere x')).stderr).toContain('Invalid namespace')
})

test('logcat prints the log in the given format and filters it', async () => {
  const { phone } = manualPhone()
  await run(phone, 'am start -n org.apprentice.notes/.NoteListActivity')
  const out = async (command: string) => (await run(phone, command)).stdout
  expect(await out('logcat -d -v time')).toMatch(
    /^--------- beginning of main\n[^]*10-21 09:30:00\.000 I\/ActivityTaskManager\( *\d+\): Displayed org\.apprentice\.notes\/\.NoteListActivity\n$/,
  )
  expect(await out('logcat -d')).toMatch(/10-21 09:30:00\.000 +\d+ +\d+ I ActivityTaskManager: Displayed/)
  expect(await out('logcat -d -v epoch')).toContain('1729503000.000')
  expect(await out('logcat -d -v raw -t 1')).toBe(
    '--------- beginning of main\nDisplayed org.apprentice.notes/.NoteListActivity\n',
  )
  expect(await out('logcat -d ActivityTaskManager:E *:S')).toBe('--------- beginning of main\n')
  expect(await out('logcat -d -s Notes:I')).toBe('--------- beginning of main\n')
  const pid = (await out('pidof org.apprentice.notes')).trim()
  expect((await out(`logcat -d -v raw --pid=${pid}`)).split('\n')).toHaveLength(3)
  await run(phone, 'logcat -c')
  expect(await out('logcat -d')).toBe('--------- beginning of main\n')
})

test('logcat without -d runs until its stream is closed', async () => {
  const { phone } = manualPhone()
  await run(phone, 'logcat -c')
  const closing = new AbortController()
  const following = run(phone, 'logcat -v raw', { signal: closing.signal })
  await run(phone, 'am start -n org.apprentice.notes/.NoteListActivity')
  closing.abort()
  expect(await following).toMatchObject({
    code: 129,
    stdout: '--------- beginning of main\nDisplayed org.apprentice.notes/.NoteListActivity\n',
  })
})

test('the shell reads files written through the file interface, with their date', async () => {
  const { phone } = manualPhone()
  phone.files.write('/sdcard/new/folder/a.txt', Buffer.from('abc'), {
    mode: 0o644,
    mtime: 1_700_000_000,
  })
  expect((await run(phone, 'cat /storage/emulated/0/new/folder/a.txt')).stdout).toBe('abc')
  expect(phone.files.stat('/sdcard/new/folder/a.txt')).toEqual({
    mode: 0o100644,
    size: 3,
    mtime: 1_700_000_000,
  })
  expect(phone.files.list('/sdcard/new')).toMatchObject([{ name: 'folder', mode: 0o40771 }])
  expect(phone.files.list('/sdcard').map(({ name }) => name)).toContain('Download')
  expect(phone.files.read('/sdcard/none')).toBeUndefined()
  expect(() => phone.files.write('/system/x', Buffer.alloc(1), { mode: 0o644, mtime: 0 })).toThrow(
    'Read-only file system',
  )
  expect((await run(phone, 'ls -l /sdcard/new/folder')).stdout).toBe(
    'total 4\n-rw-r--r-- 1 shell shell 3 2023-11-14 22:13 a.txt\n',
  )
})

test('the boot id is constant and the uptime grows', async () => {
  const { phone } = manualPhone()
  const out = async (command: string) => (await run(phone, command)).stdout
  const id = await out('cat /proc/sys/kernel/random/boot_id')
  expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\n$/)
  const before = Number.parseFloat(await out('cat /proc/uptime'))
  await run(phone, 'sleep 5')
  expect(Number.parseFloat(await out('cat /proc/uptime')) - before).toBeCloseTo(5)
  expect(await out('cat /proc/sys/kernel/random/boot_id')).toBe(id)
})
