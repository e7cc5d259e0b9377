import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPhone } from '@apprentice/phone/phone.ts'
import { startAdbdDevice, type AdbdDevice } from '@apprentice/phone/wire/adbd-device.ts'
import { type RealAdb, realAdbAvailable, startRealAdb } from './real-adb.ts'

const NOTES = 'org.apprentice.notes'

/** Commands in order on one phone, with what an Android 14 phone prints for them. */
const COMMANDS: readonly (readonly [command: string, output: string | RegExp, code?: number])[] = [
  ['wm size', 'Physical size: 1080x2400\n'],
  ['wm density', 'Physical density: 420\n'],
  ['wm user-rotation lock 1; wm user-rotation; wm user-rotation lock 0', 'lock 1\n'],
  ['getprop ro.build.version.sdk', '34\n'],
  ['setprop debug.a 1; getprop debug.a', '1\n'],
  [`pm list packages ${NOTES}`, `package:${NOTES}\n`],
  [`pm list packages -3 -f --user 0 ${NOTES}`, `package:/data/app/${NOTES}/base.apk=${NOTES}\n`],
  [`pm path ${NOTES}`, `package:/data/app/${NOTES}/base.apk\n`],
  ['pm path no.such', '', 1],
  ['pm list users', 'Users:\n\tUserInfo{0:Owner:4c13} running\n'],
  [`cmd package resolve-activity --brief ${NOTES}`, new RegExp(`^priority=0 .*\n${NOTES}/\\.NoteListActivity\n$`)],
  [`am start -n ${NOTES}/.NoteListActivity`, `Starting: Intent { cmp=${NOTES}/.NoteListActivity }\n`],
  [`am start -n ${NOTES}/.None`, /Error type 3\nError: Activity class \{.*\.None\} does not exist\.\n$/],
  [
    `am start -a a.b.C --esa k a,b --eia n 1,2 -f 0x10200000`,
    /^Starting: Intent \{ act=a\.b\.C \(has extras\) \}\nError: /,
  ],
  [
    'am startservice -n a.b/.C',
    'Starting service: Intent { cmp=a.b/.C }\nError: Not found; no service started.\n',
    255,
  ],
  ['am broadcast -a a.b.C', 'Broadcasting: Intent { act=a.b.C flg=0x400000 }\nBroadcast completed: result=0\n'],
  ['am get-current-user', '0\n'],
  ['am stack list', new RegExp(`taskId=1: ${NOTES}/\\.NoteListActivity .* visible=true`)],
  [
    'dumpsys window displays | grep mFocusedApp',
    new RegExp(`ActivityRecord\\{\\w+ u0 ${NOTES}/\\.NoteListActivity t\\d+\\}`),
  ],
  ['dumpsys activity processes', new RegExp(`ProcessRecord\\{\\w+ \\d+:${NOTES}/u0a\\d+\\}`)],
  [
    `dumpsys package ${NOTES} | grep -E "versionName|targetSdk"`,
    '    versionCode=18 minSdk=26 targetSdk=34\n    versionName=1.8.0\n',
  ],
  [
    `pm grant ${NOTES} android.permission.CAMERA; dumpsys package ${NOTES} | grep CAMERA:`,
    /^ +android\.permission\.CAMERA: granted=true/,
  ],
  [
    `pm grant ${NOTES} android.permission.INTERNET`,
    /SecurityException: .* is not a changeable permission type\n$/,
    255,
  ],
  [
    `pm grant ${NOTES} no.such.PERMISSION`,
    /IllegalArgumentException: Unknown permission: no\.such\.PERMISSION\n$/,
    255,
  ],
  [`appops set ${NOTES} android:mock_location allow; appops get ${NOTES} MOCK_LOCATION`, 'MOCK_LOCATION: allow\n'],
  [`cmd appops get ${NOTES} CAMERA`, 'No operations.\n'],
  [`pm disable-user ${NOTES}; pm list packages -d`, `Package ${NOTES} new state: disabled-user\npackage:${NOTES}\n`],
  [`am start -n ${NOTES}/.NoteListActivity; pm enable ${NOTES}`, /does not exist\.\n/],
  [`pidof ${NOTES}`, '', 1],
  ['settings put global a 1; settings get global a; settings delete global a', '1\nDeleted 1 rows\n'],
  ['content insert --uri content://settings/system --bind name:s:user_rotation --bind value:i:3', ''],
  [
    'content query --uri content://settings/system --where "name=\'user_rotation\'"',
    'Row: 0 _id=1, name=user_rotation, value=3\n',
  ],
  ['content query --uri content://settings/system/user_rotation --projection value', 'Row: 0 value=3\n'],
  ['content query --uri content://settings/system --where "name=\'none\'"', 'No result found.\n'],
  ['content query --uri content://contacts/people', /Could not find provider: contacts\n$/, 1],
  ['svc wifi disable; settings get global wifi_on; svc wifi enable', '0\n'],
  ['cmd -w wifi set-wifi-enabled disabled; cmd wifi status', 'Wifi is disabled\n'],
  ['svc nothing', /^Available commands:\n/, 1],
  ['cmd connectivity airplane-mode enable; cmd connectivity airplane-mode', 'enabled\n'],
  ['cmd location set-location-enabled false; cmd location is-location-enabled', 'false\n'],
  ['cmd uimode night yes', 'Night mode: yes\n'],
  [`cmd locale set-app-locales ${NOTES} --locales de; cmd locale get-app-locales ${NOTES}`, /are \[de\]\n$/],
  ['cmd display get-displays', /^Displays:\nDisplay id 0: .*, state ON, .*, uniqueId "local:4619827259835644672"/],
  ['cmd nothing', "cmd: Can't find service: nothing\n", 20],
  ['service check activity; service check nothing', 'Service activity: found\nService nothing: not found\n'],
  ['service list | grep -c "activity: \\[android.app.IActivityManager\\]"', '1\n'],
  ['locksettings get-disabled', 'false\n'],
  ['dumpsys battery set level 42; dumpsys battery | grep level', '  level: 42\n'],
  [
    `dumpsys deviceidle whitelist +${NOTES}; dumpsys deviceidle whitelist`,
    new RegExp(`^Added: ${NOTES}\nuser,${NOTES},\\d+\n$`),
  ],
  ['dumpsys nothing', "Can't find service: nothing\n"],
  ['input keyevent HOME; input tap 1 1; input swipe 1 1 2 2 10; input text a%sb', ''],
  ['input frob', 'Unknown command: frob\n', 255],
  ['log -p w -t Tag one; logcat -d -v tag -s Tag:V', '--------- beginning of main\nW/Tag     : one\n'],
  ['logcat -d -v brief -m 1 -e "^one$"', /beginning of main\nW\/Tag {5}\(19999\): one\n$/],
  ['log -t Tag two; logcat -d -v raw -T 1 Tag:I "*:S"', '--------- beginning of main\ntwo\n'],
  ['logcat -d -b nothing', "logcat: Unknown buffer 'nothing'\n", 1],
  ['logcat -d -v nothing', 'logcat: Invalid parameter "nothing" to -v\n', 1],
  ['logcat -g | head -1', /^main: ring buffer is 256 KiB/],
  ['logcat -c; logcat -d -v long', '--------- beginning of main\n'],
  [
    'screenrecord --time-limit 1 /sdcard/v.mp4; ls /sdcard/v.mp4',
    /^ERROR: unable to create video\/avc codec instance\nls: .*No such file/,
    1,
  ],
  ['screenrecord --time-limit 999 /sdcard/v.mp4', 'Time limit 999s outside acceptable range [0,180]\n', 2],
  ['while getprop sys.boot_completed 2>/dev/null; do break; done', '1\n'],
  ["(cd /sdcard && ls -d Download); sh -c 'exit 6'", 'Download\n', 6],
  ['su -c id', '/system/bin/sh: su: inaccessible or not found\n', 127],
]

describe.skipIf(!realAdbAvailable())('commands through a real adb server', () => {
  let adb: RealAdb
  let device: AdbdDevice
  let serial: string
  const phone = createPhone()

  beforeAll(async () => {
    adb = await startRealAdb()
    device = await startAdbdDevice({ host: phone })
    serial = adb.toSerial(device.port)
    await adb.connect(device.port)
  })

  afterAll(async () => {
    await adb.stop()
    await device.close()
  })

  const rows = COMMANDS.map(([command, output, code = 0]) => ({ command, output, code }))
  test.each(rows)('$command', async ({ command, output, code }) => {
    const result = await adb.cli(['-s', serial, 'shell', `{ ${command}\n} 2>&1`])
    if (typeof output === 'string') expect(result.stdout.toString()).toBe(output)
    else expect(result.stdout.toString()).toMatch(output)
    expect(result.code).toBe(code)
  })

  test('exec-in, exec-out and shell carry 20 MB unchanged, with the exit code', async () => {
    const data = Buffer.alloc(20_000_000, 'any bytes \0\r\n')
    await adb.cli(['-s', serial, 'exec-in', 'cat >/sdcard/in; echo end >/sdcard/end'], data)
    await expect.poll(() => phone.files.read('/sdcard/end')?.toString()).toBe('end\n')
    expect(phone.files.read('/sdcard/in')?.equals(data)).toBe(true)
    expect((await adb.cli(['-s', serial, 'exec-out', 'cat /sdcard/in'])).stdout.equals(data)).toBe(true)
    const result = await adb.cli(['-s', serial, 'shell', 'cat; exit 9'], data)
    expect(result.stdout.equals(data)).toBe(true)
    expect(result.code).toBe(9)
  })

  test('a command without end stops when its reader does, and the phone holds little of its output', async () => {
    const result = await adb.cli(['-s', serial, 'shell', 'yes | head -c 30000000 | wc -c'])
    expect(result.stdout.toString()).toBe('30000000\n')
  })

  test('a reversed port leads to the computer and ends when it is removed', async () => {
    const { createServer } = await import('node:net')
    const server = createServer((socket) => socket.end('from the computer\n'))
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const run = async (...args: string[]) => (await adb.cli(['-s', serial, ...args])).stdout.toString()
    await run('reverse', 'tcp:8081', `tcp:${port}`)
    expect(await run('reverse', '--list')).toBe(`host-1 tcp:8081 tcp:${port}\n\n`)
    expect(await run('shell', 'nc 127.0.0.1 8081 </dev/null')).toBe('from the computer\n')
    await run('reverse', '--remove', 'tcp:8081')
    expect(await run('shell', 'nc 127.0.0.1 8081 </dev/null 2>&1')).toBe('nc: connect: Connection refused\n')
    expect((await adb.cli(['-s', serial, 'reverse', '--remove', 'tcp:8081'])).code).toBe(1)
    server.close()
  })
})
