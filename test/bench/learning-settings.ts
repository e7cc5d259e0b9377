import type { Phone } from '@apprentice/phone/phone.ts'
import { open, scrollDown, slide, tap } from './learning-actions.ts'
import { type Lesson, readSaved } from './learning-lesson.ts'

const settings = 'com.android.settings'
const saved = (phone: Phone) => readSaved(phone, settings)
const is = (name: string, value: unknown) => (phone: Phone) => saved(phone)[name] === value
const from = (change: Record<string, unknown>) => (phone: Phone) => phone.setState(settings, { saved: change as never })

export const settingsLessons: readonly Lesson[] = [
  {
    name: 'dark theme',
    app: settings,
    goal: 'Switch the dark theme',
    actions: [open(settings), tap('Display'), tap('Dark theme')],
    trials: [
      { name: 'on', inputs: {}, isDone: is('dark_theme', true) },
      {
        name: 'off',
        inputs: { dark_theme: false },
        prepare: from({ dark_theme: true }),
        isDone: is('dark_theme', false),
      },
      {
        name: 'on already',
        inputs: { dark_theme: true },
        prepare: from({ dark_theme: true }),
        isDone: is('dark_theme', true),
      },
    ],
  },
  {
    name: 'bluetooth',
    app: settings,
    goal: 'Switch bluetooth',
    actions: [open(settings), tap('Connected devices'), tap('Bluetooth')],
    trials: [
      { name: 'off', inputs: {}, isDone: is('bluetooth', false) },
      {
        name: 'on',
        inputs: { bluetooth: true },
        prepare: from({ bluetooth: false }),
        isDone: is('bluetooth', true),
      },
    ],
  },
  {
    name: 'airplane mode',
    app: settings,
    goal: 'Switch airplane mode',
    actions: [open(settings), tap('Network & internet'), tap('Airplane mode')],
    trials: [
      { name: 'on', inputs: { airplane_mode: true }, isDone: is('airplane', true) },
      {
        name: 'off',
        inputs: { airplane_mode: false },
        prepare: from({ airplane_mode: true }),
        isDone: is('airplane', false),
      },
    ],
  },
  {
    name: 'join a network',
    app: settings,
    goal: 'Join a wireless network',
    actions: [open(settings), tap('Network & internet'), tap('Office')],
    trials: [
      {
        name: 'another one',
        inputs: { network: 'Cafe Guest' },
        isDone: is('network', 'Cafe Guest'),
      },
      {
        name: 'joined already',
        inputs: { network: 'Home-5G' },
        isDone: is('network', 'Home-5G'),
      },
      {
        name: 'one that is not there',
        inputs: { network: 'Neighbour' },
        possible: false,
        isDone: (phone) => !is('network', 'Home-5G')(phone),
      },
    ],
  },
  {
    name: 'screen timeout',
    app: settings,
    goal: 'Choose when the screen turns off',
    actions: [open(settings), tap('Display'), tap('Screen timeout'), tap('5 min')],
    trials: [
      { name: 'shorter', inputs: { screen_timeout: '15 s' }, isDone: is('timeout_ms', 15_000) },
      { name: 'as it is', inputs: { screen_timeout: '1 min' }, isDone: is('timeout_ms', 60_000) },
      {
        name: 'one that is not offered',
        inputs: { screen_timeout: '3 h' },
        possible: false,
        isDone: (phone) => !is('timeout_ms', 60_000)(phone),
      },
    ],
  },
  {
    name: 'brightness',
    app: settings,
    goal: 'Set the brightness',
    actions: [open(settings), tap('Display'), slide(501, 430, 700)],
    trials: [
      {
        name: 'darker',
        inputs: { brightness_level: 20 },
        isDone: (phone) => readBrightness(phone) === 20,
      },
      {
        name: 'brighter',
        inputs: { brightness_level: 90 },
        isDone: (phone) => readBrightness(phone) === 90,
      },
      {
        name: 'more than all',
        inputs: { brightness_level: 130 },
        possible: false,
        isDone: (phone) => readBrightness(phone) > 100,
      },
    ],
  },
  {
    name: 'location, further down',
    app: settings,
    goal: 'Switch location',
    actions: [open(settings), scrollDown, tap('Location'), tap('Use location')],
    trials: [
      { name: 'off', inputs: {}, isDone: is('location', false) },
      {
        name: 'on',
        inputs: { use_location: true },
        prepare: from({ location: false }),
        isDone: is('location', true),
      },
    ],
  },
  {
    name: 'language',
    app: settings,
    goal: 'Change the language',
    actions: [open(settings), tap('System'), tap('Languages'), tap('English (United Kingdom)'), tap('Change')],
    trials: [
      {
        name: 'another one',
        inputs: { language: 'Deutsch (Deutschland)' },
        isDone: (phone) => phone.locale() === 'de-DE',
      },
      {
        name: 'one that is not there',
        inputs: { language: 'Klingon' },
        possible: false,
        isDone: (phone) => phone.locale() !== 'en-US',
      },
    ],
  },
]

/** The brightness that the screen displays. */
function readBrightness(phone: Phone): number {
  const label = phone.screenNodes().find(({ text }) => /^\d+%$/.test(text))
  return Number(label?.text.replace('%', ''))
}
