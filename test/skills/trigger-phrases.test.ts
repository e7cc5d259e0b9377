import { expect, test } from 'vitest'
import { toBaseForm } from '../../src/knowledge/search-words/content-words.ts'
import { measureGreatestLikeness } from '../../src/knowledge/search-words/likeness.ts'
import { describeSkillsForLookup } from '../../src/knowledge/search-words/registry-skill.ts'
import { chooseTitle } from '../../src/knowledge/search-words/title.ts'
import { deriveNegativeTriggers, deriveTriggers } from '../../src/knowledge/search-words/trigger-phrases.ts'

const PDF = {
  name: 'pdf-toolkit',
  description:
    'Work with PDF files: extract text, merge or split documents, e.g. "put these scans together". Use when the user has a .pdf file. Do not use for Word documents, spreadsheets or when the user wants slides.',
}

test('the words of the name, product names and quoted requests are triggers, a generic verb alone is none', () => {
  const triggers = deriveTriggers(PDF)
  expect(triggers[0]).toBe('pdf toolkit')
  expect(triggers).toEqual(expect.arrayContaining(['put these scans together', 'pdf', 'split documents']))
  for (const verb of ['extract', 'merge', 'use', 'work']) expect(triggers).not.toContain(verb)
  expect(deriveTriggers({ name: 'summarize', description: 'Summarize long articles.' })).not.toContain('summarize')
})

test('no trigger contains a small word or names what the skill is not for', () => {
  for (const trigger of deriveTriggers(PDF).filter((phrase) => phrase !== 'put these scans together')) {
    expect(trigger).not.toMatch(/\b(?:the|a|or|with|when|use|user|of)\b/)
    expect(trigger).not.toMatch(/word|spreadsheet|slides/)
    expect(trigger.length).toBeLessThanOrEqual(120)
  }
})

test('"Do not use" becomes negative triggers, but never from the words of the name', () => {
  expect(deriveNegativeTriggers(PDF)).toEqual(['word documents', 'spreadsheets', 'slides'])
  const own = { name: 'pdf-toolkit', description: 'Reads files. Do not use for pdf toolkit. Not for audio files.' }
  expect(deriveNegativeTriggers(own)).toEqual(['audio files'])
})

test.each([
  ['PDF Toolkit', 'PDF Toolkit'],
  ['Overview', 'Pdf toolkit'],
  ['Quarterly numbers', 'Pdf toolkit'],
  ['📄 Merging `PDF` files', 'Merging PDF files'],
  ['', 'Pdf toolkit'],
])('the heading %j gives the title %j', (heading, title) => {
  expect(chooseTitle({ ...PDF, heading })).toBe(title)
})

test('skills of one app are told apart by what they do', () => {
  const summary = (what: string) => `Set the AirTouch 5 ${what} from the Home screen.`
  const [fan, mode] = describeSkillsForLookup([
    { id: 'au.air.set-fan-level', summary: summary('fan level') },
    { id: 'au.air.set-mode', summary: summary('operating mode') },
  ])
  expect(fan?.trigger_phrases[0]).toBe('fan level')
  expect(mode?.trigger_phrases).toContain('operating mode')
  for (const { trigger_phrases = [] } of [fan ?? {}, mode ?? {}]) expect(trigger_phrases).not.toContain('airtouch')
})

test.each([
  ['resizes', 'resize'],
  ['files', 'file'],
  ['queries', 'query'],
  ['boxes', 'box'],
  ['mapping', 'map'],
  ['resizing', 'resize'],
  ['status', 'status'],
  ['class', 'class'],
])('the base form of %s is %s', (word, base) => {
  expect(toBaseForm(word)).toBe(base)
})

test('phrases are alike by their subject, not by small words or long collections of words', () => {
  expect(measureGreatestLikeness(['export the brief as a PDF'], ['exports briefs as pdf'])).toBe(1)
  expect(measureGreatestLikeness(['show me the list of the day'], ['send me the bill of the day'])).toBeLessThan(0.75)
  expect(measureGreatestLikeness(['set the alarm'], ['alarm clock timer bell ring snooze wake morning night'])).toBe(0)
})
