/** Android key codes by name. Letters and digits are added below. */
const NAMED_KEY_CODES: Readonly<Record<string, number>> = {
  UNKNOWN: 0,
  HOME: 3,
  BACK: 4,
  STAR: 17,
  POUND: 18,
  DPAD_UP: 19,
  DPAD_DOWN: 20,
  DPAD_LEFT: 21,
  DPAD_RIGHT: 22,
  DPAD_CENTER: 23,
  VOLUME_UP: 24,
  VOLUME_DOWN: 25,
  POWER: 26,
  COMMA: 55,
  PERIOD: 56,
  ALT_LEFT: 57,
  SHIFT_LEFT: 59,
  SHIFT_RIGHT: 60,
  TAB: 61,
  SPACE: 62,
  ENTER: 66,
  DEL: 67,
  GRAVE: 68,
  MINUS: 69,
  EQUALS: 70,
  LEFT_BRACKET: 71,
  RIGHT_BRACKET: 72,
  BACKSLASH: 73,
  SEMICOLON: 74,
  APOSTROPHE: 75,
  SLASH: 76,
  AT: 77,
  PLUS: 81,
  MENU: 82,
  SEARCH: 84,
  PAGE_UP: 92,
  PAGE_DOWN: 93,
  ESCAPE: 111,
  FORWARD_DEL: 112,
  CTRL_LEFT: 113,
  CTRL_RIGHT: 114,
  MOVE_HOME: 122,
  MOVE_END: 123,
  NUMPAD_ENTER: 160,
  VOLUME_MUTE: 164,
  APP_SWITCH: 187,
  SLEEP: 223,
  WAKEUP: 224,
  CUT: 277,
  COPY: 278,
  PASTE: 279,
}

export type KeyName = string

const NAMES = new Map<number, KeyName>(Object.entries(NAMED_KEY_CODES).map(([name, code]) => [code, name]))
for (let digit = 0; digit < 10; digit += 1) NAMES.set(7 + digit, String(digit))
for (let letter = 0; letter < 26; letter += 1) NAMES.set(29 + letter, String.fromCharCode(65 + letter))
const CODES = new Map<KeyName, number>([...NAMES].map(([code, name]) => [name, code]))

/** Accepts `66`, `ENTER` and `KEYCODE_ENTER`. Returns UNKNOWN for anything else, as Android does. */
export function parseKeyName(text: string): KeyName {
  const name = text.toUpperCase().replace(/^KEYCODE_/, '')
  // A number is a key code, not a digit key: `keyevent 4` is BACK.
  if (/^\d+$/.test(text)) return NAMES.get(Number(text)) ?? 'UNKNOWN'
  return CODES.has(name) ? name : 'UNKNOWN'
}

const PUNCTUATION: Readonly<Record<KeyName, readonly [string, string]>> = {
  SPACE: [' ', ' '],
  COMMA: [',', '<'],
  PERIOD: ['.', '>'],
  GRAVE: ['`', '~'],
  MINUS: ['-', '_'],
  EQUALS: ['=', '+'],
  LEFT_BRACKET: ['[', '{'],
  RIGHT_BRACKET: [']', '}'],
  BACKSLASH: ['\\', '|'],
  SEMICOLON: [';', ':'],
  APOSTROPHE: ["'", '"'],
  SLASH: ['/', '?'],
  AT: ['@', '@'],
  PLUS: ['+', '+'],
  STAR: ['*', '*'],
  POUND: ['#', '#'],
}
const SHIFTED_DIGITS = ')!@#$%^&*('

/** The character that a key types. Undefined for keys that type none. */
export function findCharacter(key: KeyName, shift: boolean): string | undefined {
  if (/^[A-Z]$/.test(key)) return shift ? key : key.toLowerCase()
  if (/^\d$/.test(key)) return shift ? SHIFTED_DIGITS[Number(key)] : key
  return PUNCTUATION[key]?.[shift ? 1 : 0]
}

export interface KeyStroke {
  readonly key: KeyName
  readonly shift: boolean
}

const STROKES = new Map<string, KeyStroke>()
for (const shift of [true, false]) {
  for (const key of NAMES.values()) {
    const char = findCharacter(key, shift)
    if (char !== undefined) STROKES.set(char, { key, shift })
  }
}

/** The key stroke that types a character. Undefined if the virtual key map lacks the character. */
export function findKeyStroke(char: string): KeyStroke | undefined {
  return STROKES.get(char)
}
