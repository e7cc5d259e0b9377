import { expect, test } from 'vitest'
import { find, launch, manualPhone, run, tap, texts, type } from './phone-shell.ts'

const NOTES = 'org.apprentice.notes'

async function editor() {
  const { phone, clock } = manualPhone({ adbKeyboard: true })
  await launch(phone, NOTES)
  await tap(phone, 'new_note')
  await tap(phone, 'title')
  const title = (): unknown => phone.state(NOTES).screens.at(-1)?.local['title']
  return { phone, clock, title }
}

test.each([
  ["input text 'hello'", 'hello'],
  ['input text hello%sworld', 'hello world'],
  ["input text 'a b'", 'a b'],
  ["input text '50%25'", '50%25'],
  ["input text '%%s'", '% '],
  ["input text '%s%s'", '  '],
  ["input text '%'", '%'],
  [String.raw`input text 'it'\''s "x" $HOME;id'`, `it's "x" $HOME;id`],
  ["input text 'two\nlines'", 'twolines'],
  ['input text one two', 'one'],
  ["input text '~!@#$^&*()_+{}|:<>?`-=[]\\;,./'", '~!@#$^&*()_+{}|:<>?`-=[]\\;,./'],
])('%s types the expected text', async (command, expected) => {
  const { phone, title } = await editor()
  expect(await run(phone, command)).toMatchObject({ code: 0, stdout: '', stderr: '' })
  expect(title()).toBe(expected)
})

test('input text with a character outside the key map fails and types nothing', async () => {
  const { phone, title } = await editor()
  const ran = await run(phone, "input text 'caf\u00e9'")
  expect(ran.code).toBe(255)
  expect(ran.stdout).toBe('')
  expect(ran.stderr).toMatch(
    /^\nException occurred while executing 'text':\njava\.lang\.NullPointerException: Attempt to get length of null array\n\tat .*sendText/,
  )
  expect(title()).toBe('')
})

test('input text without a focused field changes nothing', async () => {
  const { phone } = manualPhone()
  await launch(phone, NOTES)
  const before = phone.state(NOTES)
  expect((await run(phone, 'input text abc')).code).toBe(0)
  expect(phone.state(NOTES)).toEqual(before)
})

test.each([
  ['input tap 5', 'Argument expected after "tap"'],
  ['input tap a b', 'NumberFormatException: For input string: "a"'],
  ['input swipe 1 2 3 4 1.5', 'NumberFormatException: For input string: "1.5"'],
  ['input keycombination 113', 'requires at least 2 keycodes'],
  ['input text', 'Argument expected after "text"'],
])('%s prints an exception and exits with 255', async (command, message) => {
  const ran = await run(manualPhone().phone, command)
  expect(ran.code).toBe(255)
  expect(ran.stderr).toContain(message)
})

test('input reports an unknown command and accepts fractional coordinates', async () => {
  const { phone } = manualPhone()
  expect(await run(phone, 'input frob')).toMatchObject({
    code: 255,
    stdout: 'Unknown command: frob\n',
  })
  expect((await run(phone, 'input touchscreen -d 0 tap 10.5 20.25')).code).toBe(0)
})

test('keys delete text, move the cursor, select, cut and paste', async () => {
  const { phone, title } = await editor()
  await run(phone, "input text 'abcdef'")
  await run(phone, 'input keyevent 67 KEYCODE_DEL')
  expect(title()).toBe('abcd')
  await run(phone, 'input keyevent MOVE_HOME 112; input text X')
  expect(title()).toBe('Xbcd')
  await run(phone, 'input keycombination 113 29; input keycombination CTRL_LEFT KEYCODE_X')
  expect(title()).toBe('')
  await run(phone, 'input keyevent PASTE KEYCODE_PASTE')
  expect(title()).toBe('XbcdXbcd')
  await run(phone, 'input keycombination -t 50 113 29; input text new')
  expect(title()).toBe('new')
  await run(phone, 'input keyevent A 9; input keycombination SHIFT_LEFT KEYCODE_A')
  expect(title()).toBe('newa2A')
})

test('a single digit is a key code, not the digit key', async () => {
  const { phone } = await editor()
  await run(phone, 'input keyevent 4; input keyevent 4')
  expect(phone.foreground()?.screen).toBe('list')
})

test('Back hides the keyboard, then closes the screen, then leaves the app', async () => {
  const { phone } = await editor()
  const isKeyboardVisible = async () => (await run(phone, 'dumpsys input_method')).stdout.includes('mInputShown=true')
  expect(await isKeyboardVisible()).toBe(true)
  await run(phone, 'input keyevent KEYCODE_BACK')
  expect(await isKeyboardVisible()).toBe(false)
  expect(phone.foreground()?.screen).toBe('editor')
  await run(phone, 'input keyevent BACK')
  expect(phone.foreground()).toMatchObject({ packageName: NOTES, screen: 'list' })
  await run(phone, 'input keyevent BACK')
  expect(phone.foreground()?.packageName).toBe('com.android.launcher3')
  await launch(phone, NOTES)
  expect(phone.foreground()?.screen).toBe('list')
})

test('the content area shrinks while the keyboard is displayed', async () => {
  const { phone } = await editor()
  const up = (await find(phone, 'android:id/content')).box.bottom
  await run(phone, 'input keyevent 4')
  const down = (await find(phone, 'android:id/content')).box.bottom
  expect(down - up).toBe(780)
})

test('Enter submits a single-line field and inserts a line break in a multi-line field', async () => {
  const { phone } = await editor()
  await type(phone, 'body', 'one')
  await run(phone, 'input keyevent 66; input text two')
  expect(phone.state(NOTES).screens.at(-1)?.local['body']).toBe('one\ntwo')
  await launch(phone, 'org.apprentice.portal')
  await type(phone, 'password', 'x')
  await run(phone, 'input keyevent ENTER')
  expect(await texts(phone)).toContain('Enter user name and password')
})

test('Tab focuses the next field', async () => {
  const { phone } = await editor()
  await run(phone, 'input text t; input keyevent TAB; input text b')
  expect(phone.state(NOTES).screens.at(-1)?.local).toMatchObject({ title: 't', body: 'b' })
})

test('a swipe without movement is a long press from 500 ms on, otherwise a tap', async () => {
  const { phone } = manualPhone()
  await launch(phone, NOTES)
  const { box } = await find(phone, 'Groceries')
  const at = `${box.left + 5} ${box.top + 5}`
  await run(phone, `input swipe ${at} ${at} 499`)
  expect(phone.foreground()?.dialog).toBeUndefined()
  expect(phone.foreground()?.screen).toBe('editor')
  await run(phone, 'input keyevent 4')
  await run(phone, `input swipe ${at} ${at} 500`)
  expect(phone.foreground()?.dialog).toBe('Delete note?')
})

test('motion events DOWN and UP are a tap unless CANCEL comes between them', async () => {
  const { phone } = manualPhone()
  await launch(phone, NOTES)
  const { box } = await find(phone, 'Groceries')
  const at = `${box.left + 5} ${box.top + 5}`
  await run(phone, `input motionevent DOWN ${at}; input motionevent CANCEL; input motionevent UP ${at}`)
  expect(phone.foreground()?.screen).toBe('list')
  await run(phone, `input motionevent DOWN ${at}; input motionevent UP ${at}`)
  expect(phone.foreground()?.screen).toBe('editor')
})

test('a sleeping phone ignores taps, WAKEUP displays the lock screen and a long swipe unlocks', async () => {
  const { phone } = manualPhone()
  const wakefulness = async () => /mWakefulness=(\w+)/.exec((await run(phone, 'dumpsys power')).stdout)?.[1]
  await run(phone, 'input keyevent 26')
  expect(await wakefulness()).toBe('Asleep')
  await run(phone, 'input tap 130 600')
  await run(phone, 'input keyevent WAKEUP; input keyevent WAKEUP')
  expect(await wakefulness()).toBe('Awake')
  expect(phone.foreground()?.screen).toBe('keyguard')
  await run(phone, 'input swipe 540 1800 540 1700')
  expect(phone.foreground()?.screen).toBe('keyguard')
  await run(phone, 'input swipe 540 1800 540 800 200')
  expect(phone.foreground()).toMatchObject({ packageName: 'com.android.launcher3', screen: 'home' })
  await run(phone, 'input keyevent SLEEP; input keyevent WAKEUP; wm dismiss-keyguard')
  expect(phone.foreground()?.screen).toBe('home')
})

test('the navigation bar has the buttons Back, Home and Recents', async () => {
  const { phone } = manualPhone()
  await launch(phone, NOTES)
  await tap(phone, 'Groceries')
  await run(phone, 'input tap 180 2340')
  expect(phone.foreground()?.screen).toBe('list')
  await run(phone, 'input tap 540 2340')
  expect(phone.foreground()?.screen).toBe('home')
  await run(phone, 'input tap 900 2340')
  expect(phone.foreground()?.screen).toBe('recents')
  await tap(phone, 'Notes')
  expect(phone.foreground()?.packageName).toBe(NOTES)
})

test('text by broadcast is inserted only while the broadcast input method is selected', async () => {
  const { phone, title } = await editor()
  const send = "am broadcast -a ADB_INPUT_B64 --es msg 'R3LDvMOfZSDwn5iA'"
  const ran = await run(phone, send)
  expect(ran.stdout).toBe(
    'Broadcasting: Intent { act=ADB_INPUT_B64 flg=0x400000 (has extras) }\nBroadcast completed: result=0\n',
  )
  expect(title()).toBe('')
  expect((await run(phone, 'ime list -s')).stdout).toBe(
    'com.android.inputmethod.latin/.LatinIME\ncom.android.adbkeyboard/.AdbIME\n',
  )
  await run(phone, 'ime enable com.android.adbkeyboard/.AdbIME; ime set com.android.adbkeyboard/.AdbIME')
  expect((await run(phone, 'settings get secure default_input_method')).stdout).toBe(
    'com.android.adbkeyboard/.AdbIME\n',
  )
  await run(phone, send)
  expect(title()).toBe('Grüße 😀')
  await run(phone, 'am broadcast -a ADB_CLEAR_TEXT')
  await run(phone, "am broadcast -a ADB_INPUT_TEXT --es msg 'plain text'")
  expect(title()).toBe('plain text')
})

test('the broadcast input method cannot be listed or selected when it is not installed', async () => {
  const { phone } = manualPhone()
  expect((await run(phone, 'ime list -s')).stdout).toBe('com.android.inputmethod.latin/.LatinIME\n')
  const ran = await run(phone, 'ime set com.android.adbkeyboard/.AdbIME')
  expect(ran.code).toBe(255)
  expect(ran.stderr).toContain('Unknown input method')
})
