import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { FAILURES, type FailureCode } from '@apprentice/contracts/base/failures.ts'
import { ACTION_TYPES } from '@apprentice/contracts/devices/action.ts'
import { DeviceState } from '@apprentice/contracts/devices/device.ts'
import { InstallLane } from '@apprentice/contracts/learn/session.ts'
import { PracticeOutcome } from '@apprentice/contracts/learn/practice.ts'
import { ProposalState } from '@apprentice/contracts/learn/proposal.ts'
import { RunKind } from '@apprentice/contracts/learn/validation.ts'
import { AbilitySource, CheckpointHealth } from '@apprentice/contracts/abilities/ability.ts'
import { FINDING_TABLE } from '@apprentice/contracts/skills/import-findings.ts'
import { ImportState, PortabilityGrade } from '@apprentice/contracts/skills/import-record.ts'
import { de } from '../../src/dashboard/text/de.ts'
import { deFailures } from '../../src/dashboard/text/said/de-failures.ts'
import { deFindings } from '../../src/dashboard/text/said/de-findings.ts'
import { deSaid } from '../../src/dashboard/text/said/de-said.ts'
import { deSentences } from '../../src/dashboard/text/said/de-sentences.ts'

const ROOT = join(import.meta.dirname, '..', '..')

const { say, sayFailure } = deSaid

test('every failure of the catalogue and every finding of a scan has a German text', () => {
  expect(Object.keys(deFailures).toSorted()).toEqual(Object.keys(FAILURES).toSorted())
  expect(Object.keys(deFindings).toSorted()).toEqual(Object.keys(FINDING_TABLE).toSorted())
  for (const code of Object.keys(FAILURES) as FailureCode[]) {
    const text = sayFailure({ code, message: FAILURES[code].meaning })
    expect(text, code).toMatch(/^[A-ZÄÖÜ„].*\.$/su)
    expect(text, code).not.toBe(FAILURES[code].meaning)
  }
})

test('a failure is said with its details, by its very words, by its code, or as the daemon said it', () => {
  const full = { code: 'RATE_LIMITED', message: 'Too many requests. Retry after 12 s.', details: { retry_after_s: 12 } }
  expect(sayFailure(full)).toBe('Zu viele Anfragen. In 12 s noch einmal versuchen.')
  expect(sayFailure({ code: 'RATE_LIMITED', message: 'Too many MCP sessions are open. Close one first.' })).toBe(
    'Zu viele Anfragen. Gleich noch einmal versuchen.',
  )
  expect(sayFailure({ code: 'CATEGORY_LIMIT_REACHED', message: 'A user can have at most 100 categories.' })).toBe(
    'Mehr als 100 Kategorien sind nicht möglich.',
  )
  expect(sayFailure({ code: 'NODE_GONE', message: 'The node is gone.' })).toBe('The node is gone.')
})

test('words of the daemon are said in German, with what people and apps named in its place', () => {
  expect(say('The given unit shows the given temperature')).toBe('„unit“ zeigt „temperature“ wie angegeben')
  expect(say('Type ‹Dentist› into Title and submit')).toBe('„Dentist“ in „Title“ eingeben und absenden')
  expect(say('Visible result: The list is shown')).toBe('Zu sehen: Die Liste ist zu sehen')
  expect(say('Tests of kind dry run ended: passed.')).toBe('Tests beendet (ohne Telefon): bestanden.')
  // Two sentences are said one after the other; half a translation is none.
  expect(say('No screen shows that the workflow was done. How can one see that it worked?')).toBe(
    'Kein Bildschirm zeigt, dass der Ablauf getan ist. Woran sieht man, dass es geklappt hat?',
  )
  expect(say('How can one see that it worked? Nobody knows why.')).toBe(
    'How can one see that it worked? Nobody knows why.',
  )
  expect(say('Dentist')).toBe('Dentist')
  expect(say('Tap ')).toBe('Tap ')
})

/** All sources that may say something, and the messages of the schema library. */
function readSources(): string {
  const folders = ['contracts', 'src'].map((name) => join(ROOT, name))
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.startsWith('dashboard') && !name.includes('node_modules'))
      .map((name) => readFileSync(join(folder, name), 'utf8')),
  )
  const zod = createRequire(import.meta.url).resolve('zod/v4/locales/en.js')
  return [...files, readFileSync(zod, 'utf8')].join('\n')
}

/** The longest words without a variable. The daemon puts some sentences together, so that up to two words stand apart. */
function listRuns(sentence: string): string[] {
  const literals = sentence.split(/\{[a-z]\}/).map((one) => one.replaceAll(/^[ "‹›.:,]+|[ "‹›.:,(]+$/g, ''))
  const words = literals.toSorted((a, b) => b.length - a.length)[0]?.split(' ') ?? []
  const cuts = [
    [0, 0],
    [1, 0],
    [0, 1],
    [1, 1],
    [2, 0],
    [0, 2],
  ] as const
  return cuts
    .map(([start, end]) => words.slice(start, words.length - end))
    .filter((run) => run.length > Math.min(1, words.length - 1))
    .map((run) => run.join(' '))
}

/** Sentences that are put together from shorter words, and messages of the schema library. */
const COMPOSED =
  /^(?:Too |Invalid |Tap the |The (?:title|trigger phrases|phrases that|goal|success conditions)\b|When |A button that|\{a\} could not be installed|Files of the skill)/

test('a field that the schema library refuses is named in German', () => {
  const schema = z.object({
    name: z.string().min(1).max(3),
    count: z.int().min(2),
    list: z.array(z.string()).max(1),
    id: z.uuid(),
  })
  const tries = [
    { name: '', count: 1, list: ['a', 'b'], id: 'x' },
    { name: 'long name', count: 'x', list: [], id: 'x' },
    {},
  ]
  const messages = tries.flatMap((one) => schema.safeParse(one).error?.issues.map(({ message }) => message) ?? [])
  expect(messages.length).toBeGreaterThan(10)
  expect(messages.filter((message) => say(message) === message)).toEqual([])
})

test('every sentence with a German text is one that the daemon says, and names the same variables', () => {
  const sources = readSources()
  const variables = (text: string) => [...new Set(text.match(/\{[a-z]\}/g))].toSorted()
  const unsaid = deSentences
    .map(([english]) => english)
    .filter((one) => !listRuns(one).some((run) => sources.includes(run)))
  expect(unsaid.filter((one) => !COMPOSED.test(one))).toEqual([])
  for (const [english, german] of deSentences) {
    // Nothing is said that was not there.
    expect(variables(english), english).toEqual(expect.arrayContaining(variables(german)))
  }
})

test('every value that pages display has a German name', () => {
  const shown = [
    ...[DeviceState, InstallLane, PracticeOutcome, ProposalState, RunKind].flatMap(({ options }) => options),
    ...[AbilitySource, CheckpointHealth, ImportState, PortabilityGrade].flatMap(({ options }) => options),
    ...ACTION_TYPES,
  ]
  expect(shown.filter((value) => !(value in de.values))).toEqual([])
})
