import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startTeaching } from '../teach/teaching.ts'
import { runPractice } from './practice-session.ts'

const SIM_APPS_FOLDER = join(import.meta.dirname, 'apps')
const HOME_APP = 'org.example.heim'
const ALARM_APP = 'org.example.reveil'
const LIST_APP = 'org.example.lists'
const MUSIC_APP = 'org.example.musica'
const MARKET_APP = 'org.example.bazaar'
const WASHER_APP = 'org.example.lavatrice'
const HUB_APP = 'org.example.hub'

async function practise(goal: string, app: string, options: object = {}) {
  const { daemon, phone } = await startTeaching({ config: { simApps: SIM_APPS_FOLDER } })
  const before = structuredClone(phone.state(app).saved)
  const { practice } = await runPractice(daemon, { goal, app, ...options })
  return { practice, before, after: phone.state(app).saved }
}

test('German: a compound word is found as a room and a switch in it, and nothing else changes', async () => {
  const { practice, before, after } = await practise('Küchenlicht einschalten', HOME_APP)
  expect(practice).toMatchObject({
    outcome: 'proven',
    path: [expect.anything(), 'Tap Küche · 2 Geräte', 'Switch Licht on'],
  })
  expect(after).toEqual({ ...before, kueche: { licht: true, heizung: 20 } })
}, 60_000)

test('German: several sub-goals in two rooms are proven together', async () => {
  const goal = 'Die Heizung im Bad auf 21 Grad stellen und das Licht in der Küche einschalten'
  const { practice, before, after } = await practise(goal, HOME_APP, { policy: { max_actions: 150 } })
  expect(practice).toMatchObject({
    outcome: 'proven',
    sub_goals: [{ subject: 'Heizung Bad' }, { subject: 'Licht Küche' }],
  })
  expect(practice.summary).toContain('"Heizung Bad" shows "21 Grad"')
  expect(practice.summary).toContain('"Licht Küche" is switched on')
  expect(after).toEqual({ ...before, kueche: { licht: true, heizung: 20 }, bad: { licht: false, heizung: 21 } })
}, 120_000)

test('a sub-goal that cannot be found keeps the others undone', async () => {
  const { practice, before, after } = await practise('turn on Licht in Küche and Lärm in Keller', HOME_APP)
  expect(practice.outcome).toBe('not_found')
  expect(practice.summary).toMatch(/Found nowhere in the app: "larm", "keller"/)
  expect(after).toEqual(before)
}, 60_000)

test('French: a time is set by the wheels of a picker and read in the list afterwards', async () => {
  const { practice, after } = await practise("Règle l'alarme sur 7h15", ALARM_APP)
  expect(practice.outcome, practice.summary).toBe('proven')
  expect(after['alarmes']).toEqual([
    { id: 1, heure: '6:30' },
    { id: 2, heure: '7:15' },
  ])
}, 120_000)

test('English: two entries are added to the named list, one after the other', async () => {
  const { practice, before, after } = await practise('add milk and bread to the shopping list', LIST_APP)
  expect(practice.outcome, practice.summary).toBe('proven')
  expect((after['items'] as { name: string }[]).map(({ name }) => name)).toEqual(['Eggs', 'milk', 'bread'])
  expect(after['jobs']).toEqual(before['jobs'])
}, 120_000)

test('Spanish: a slider and a segment are set in any order of the words', async () => {
  const slider = await practise('al 40 % pon el volumen', MUSIC_APP)
  expect(slider.practice.outcome, slider.practice.summary).toBe('proven')
  expect(slider.after).toEqual({ ...slider.before, volumen: 40 })
  const segment = await practise('cambia el ecualizador a Graves', MUSIC_APP)
  expect(segment.practice.outcome, segment.practice.summary).toBe('proven')
  expect(segment.after).toEqual({ ...segment.before, modo: 'Graves' })
}, 120_000)

test('Italian: a drop-down list is found by the label beside it, and its dialog is confirmed', async () => {
  const { practice, before, after } = await practise('imposta il programma della lavatrice su Lana', WASHER_APP)
  expect(practice.outcome, practice.summary).toBe('proven')
  expect(practice.path).toEqual([expect.anything(), 'Tap Programma · Cotone', 'Choose Lana', 'Tap OK'])
  expect(after).toEqual({ ...before, programma: 'Lana' })
}, 60_000)

test('a control that the policy closes is named in the result, with its reason', async () => {
  const { practice, before, after } = await practise('turn on express delivery', MARKET_APP)
  expect(practice.outcome).toBe('not_found')
  expect(practice.closed_ways).toEqual([
    { label: 'Buy now with express delivery', reason: expect.stringContaining('forbids sending'), leads_to_goal: true },
  ])
  expect(practice.summary).toContain(
    'The way leads through "Buy now with express delivery", which policy does not allow',
  )
  expect(after).toEqual(before)
}, 60_000)

test('a policy that only reads closes the control of the goal itself', async () => {
  const { practice, before, after } = await practise('Enable quiet hours', HUB_APP, { policy: { mode: 'read_only' } })
  expect(practice.outcome).toBe('not_found')
  expect(practice.closed_ways).toContainEqual({
    label: 'Quiet hours',
    reason: expect.stringContaining('allows only reading'),
    leads_to_goal: true,
  })
  expect(practice.summary).toContain('The way leads through "Quiet hours"')
  expect(after).toEqual(before)
}, 60_000)
