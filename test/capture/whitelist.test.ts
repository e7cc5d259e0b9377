import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ObservationMode } from '@apprentice/contracts/learn/session.ts'
import { isOnTarget } from '../../src/domain/capture/whitelist.ts'
import { startDaemon } from '../kit/daemon.ts'
import { makeEvent, sendEvents, listStored } from './capturing.ts'
import { countRuns } from '../kit/count-runs.ts'

const makeScope = (whitelist: string[], observation_mode: ObservationMode = 'outside_agent') => ({
  observation_mode,
  target_app_whitelist: whitelist,
})

test.each([
  ['the app family', { app_family: 'Notes' }, true],
  ['the app family in other letters and spaces', { app_family: '  NOTES ' }, true],
  ['only a part of the app family', { app_family: 'Notes Pro' }, false],
  ['the bundle id', { bundle_id: 'notes' }, true],
  ['only a part of the bundle id', { bundle_id: 'com.example.notes' }, false],
  ['the whole window title', { window_title: 'notes' }, true],
  ['a word of the window title', { window_title: 'My notes – today' }, true],
  ['the window title up to a punctuation mark', { window_title: '(Notes)' }, true],
  ['a part of a word of the window title', { window_title: 'My keynotes' }, false],
  ['a word with an accent behind it', { window_title: 'notesé' }, false],
  ['another app', { app_family: 'Mail', window_title: 'Inbox' }, false],
  ['nothing at all', {}, false],
])('an event with %s', (_how, event, expected) => {
  expect(isOnTarget(makeScope(['Notes']), event)).toBe(expected)
})

test('composed and decomposed letters match', () => {
  expect(isOnTarget(makeScope(['Café']), { app_family: 'Cafe\u0301' })).toBe(true)
})

test('the whitelist applies only to modes that observe outside the agent', () => {
  for (const mode of ['none', 'inside_agent'] as const) {
    expect(isOnTarget(makeScope(['Notes'], mode), { app_family: 'Mail' })).toBe(true)
  }
  expect(isOnTarget(makeScope(['Notes'], 'mixed'), { app_family: 'Mail' })).toBe(false)
  expect(isOnTarget(makeScope([]), { app_family: 'Mail' })).toBe(true)
})

test('isOnTarget agrees with a naive implementation', () => {
  const words = fc.stringMatching(/^[ab1 .é-]{0,8}$/)
  const event = fc.record({ app_family: words, bundle_id: words, window_title: words }, { requiredKeys: [] })
  fc.assert(
    fc.property(fc.array(words, { minLength: 1, maxLength: 3 }), event, (entries, sent) => {
      expect(isOnTarget(makeScope(entries), sent)).toBe(matchNaively(entries, sent))
    }),
    { numRuns: countRuns(1200) },
  )
})

/** Compares the entry with the title at every position. */
function matchNaively(
  entries: string[],
  { app_family, bundle_id, window_title }: Partial<Record<string, string>>,
): boolean {
  const normalize = (text: string) => text.trim().split(/\s+/).join(' ').toLowerCase()
  const isWord = (character: string | undefined) => character !== undefined && 'ab1é'.includes(character)
  return entries.map(normalize).some((entry) => {
    if (entry === '') return false
    if ([app_family, bundle_id].some((name) => name !== undefined && normalize(name) === entry)) {
      return true
    }
    const title = normalize(window_title ?? '').split('')
    return title.some(
      (_character, at) =>
        title.slice(at, at + entry.length).join('') === entry &&
        !isWord(title[at - 1]) &&
        !isWord(title[at + entry.length]),
    )
  })
}

test('off-target events are counted and never stored', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing', {
    observation_mode: 'mixed',
    target_app_whitelist: ['Notes'],
  })

  const first = await sendEvents(daemon, id, [
    makeEvent(id, { app_family: 'Notes' }),
    makeEvent(id, { app_family: 'Bank' }),
    makeEvent(id),
  ])
  const second = await sendEvents(daemon, id, [makeEvent(id, { app_family: 'Bank' })])

  expect(first.json()).toMatchObject({
    accepted: 1,
    dropped_off_target: 2,
    off_target_events_dropped: 2,
    captured_event_count: 1,
    rejected: [],
  })
  expect(second.json()).toMatchObject({ dropped_off_target: 1, off_target_events_dropped: 3 })
  expect(listStored(daemon, id).map((event) => event.app_family)).toEqual(['Notes'])
  expect(daemon.session(id)).toMatchObject({ off_target_events_dropped: 3 })
})

test('an event of an unarmed adapter is rejected before the whitelist is checked', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing', {
    observation_mode: 'outside_agent',
    target_app_whitelist: ['Notes'],
  })

  const reply = await sendEvents(daemon, id, [makeEvent(id, { adapter_kind: 'browser_dom' })])

  expect(reply.json()).toMatchObject({
    dropped_off_target: 0,
    rejected: [{ code: 'ADAPTER_UNAVAILABLE' }],
  })
})
