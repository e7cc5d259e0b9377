import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { MASK } from '../../src/knowledge/redaction/masking.ts'
import {
  findName,
  type KnownTexts,
  nameQuotations,
  nameText,
  readKnownTexts,
} from '../../src/domain/capture/typed-texts.ts'
import { listObservedTexts } from '../../src/store/capture/observed-texts.ts'
import { startDaemon } from '../kit/daemon.ts'
import { makeEvent, sendEvents, listStored } from './capturing.ts'

const noTexts = (): KnownTexts => ({ salt: randomUUID(), numbers: new Map() })

test('each distinct text has one name, and equal texts have the same name', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1, maxLength: 5 }), { maxLength: 40 }), (typed) => {
      const known = noTexts()
      const texts = typed.filter((text) => text.trim() !== '')
      const names = texts.map((text) => nameText(known, text))
      const distinct = [...new Set(texts.map((text) => text.normalize('NFC').trim()))]
      expect(names).toEqual(texts.map((text) => `‹text:${distinct.indexOf(text.normalize('NFC').trim()) + 1}›`))
      expect(texts.map((text) => findName(known, text))).toEqual(names)
    }),
  )
})

test('an unknown text has no name, and a blank text gets none', () => {
  const known = noTexts()
  nameText(known, 'typed')
  expect(findName(known, 'other')).toBeUndefined()
  expect(nameText(known, '  ')).toBe(MASK)
  expect(known.numbers.size).toBe(1)
})

test('texts after the 999th are masked without a name', () => {
  const known = noTexts()
  for (let i = 1; i <= 999; i += 1) expect(nameText(known, `text ${i}`)).toBe(`‹text:${i}›`)
  expect(nameText(known, 'one more')).toBe(MASK)
  expect(nameText(known, 'text 7')).toBe('‹text:7›')
})

test('a quotation is replaced by a name including its marks, and a name is not replaced again', () => {
  const known = noTexts()
  expect(nameQuotations(known, 'Copy "a" and “b” and "a"')).toBe('Copy ‹text:1› and ‹text:2› and ‹text:1›')
  expect(nameQuotations(known, 'Copy "‹text:2›" twice')).toBe('Copy ‹text:2› twice')
  expect(nameQuotations(known, 'Open "end')).toBe(`Open ${MASK}`)
})

test('typed text keeps its name within a session', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')

  await sendEvents(daemon, id, [
    makeEvent(id, { action_label: 'Type Ada Lovelace into Name', raw_text: 'Ada Lovelace' }),
    makeEvent(id, { action_label: 'Type "12345678" into Phone' }),
  ])
  await sendEvents(daemon, id, [makeEvent(id, { action_label: 'Tap "Ada Lovelace"', window_title: 'Ada Lovelace' })])

  expect(listStored(daemon, id).map((event) => event.action_label)).toEqual([
    'Type ‹text:1› into Name',
    'Type ‹text:2› into Phone',
    'Tap ‹text:1›',
  ])
  expect(listStored(daemon, id)[2]?.window_title).toBe('‹text:1›')
  const session = daemon.session(id)
  if (session === undefined) throw new Error('the session is gone')
  const known = daemon.system.store.read((reader) => readKnownTexts(reader, session))
  expect(findName(known, 'Ada Lovelace')).toBe('‹text:1›')
})

test('two sessions have separate names and different hashes for the same text', async () => {
  const daemon = await startDaemon()
  const ids = [
    await daemon.aSessionIn('capturing', { redaction_salt: 'one' }),
    await daemon.aSessionIn('capturing', { redaction_salt: 'two' }),
  ]
  for (const id of ids) await sendEvents(daemon, id, [makeEvent(id, { action_label: 'Type "same"' })])

  const [one, two] = ids.map((id) => daemon.system.store.read((reader) => listObservedTexts(reader, id)))

  expect(one).toMatchObject([{ number: 1 }])
  expect(two).toMatchObject([{ number: 1 }])
  expect(one?.[0]?.text_hmac).not.toBe(two?.[0]?.text_hmac)
})

test('deleting a session deletes its text hashes', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  await sendEvents(daemon, id, [makeEvent(id, { action_label: 'Type "same"' })])

  const list = () => daemon.system.store.read((reader) => listObservedTexts(reader, id))
  expect(list()).toHaveLength(1)

  await daemon.delete(`/api/learn/sessions/${id}`)

  expect(list()).toEqual([])
})

test('with consent and redaction mode none, typed text is stored and no hash of it', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing', { text_capture_consent: true })

  await sendEvents(daemon, id, [makeEvent(id, { action_label: 'Type "Ada"', redaction_mode: 'none' })])

  expect(listStored(daemon, id)).toMatchObject([{ action_label: 'Type "Ada"' }])
  expect(daemon.system.store.read((reader) => listObservedTexts(reader, id))).toEqual([])
})
