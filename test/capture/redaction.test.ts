import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  AdapterKind,
  IncomingActionEvent,
  ObservedActionEvent,
  RedactionMode,
} from '@apprentice/contracts/learn/observation.ts'
import { redactEvent, pickStricterMode, getMinimumRedaction } from '../../src/domain/capture/redaction.ts'
import { startDaemon } from '../kit/daemon.ts'
import { makeEvent, type SentEvent, sendEvents, listStored } from './capturing.ts'
import { countRuns } from '../kit/count-runs.ts'

const SESSION_ID = '0f8fad5b-d9cb-469f-a165-70867728950e'
const redact = (parts: Partial<SentEvent>, mode: RedactionMode) =>
  redactEvent(IncomingActionEvent.parse(makeEvent(SESSION_ID, parts)), { mode, salt: 'salt' })

test('a client cannot request a weaker redaction than the minimum of the adapter', () => {
  expect(pickStricterMode('none', getMinimumRedaction('browser_dom', false))).toBe('mask_text')
  expect(pickStricterMode('none', getMinimumRedaction('browser_dom', true))).toBe('mask_text')
  expect(pickStricterMode('mask_text', getMinimumRedaction('clipboard', true))).toBe('hash_only')
  expect(pickStricterMode('hash_only', getMinimumRedaction('midi', false))).toBe('hash_only')
  expect(pickStricterMode('none', getMinimumRedaction('midi', false))).toBe('none')
})

test('consent lowers the minimum redaction of text adapters only', () => {
  const affected = AdapterKind.options.filter(
    (kind) => getMinimumRedaction(kind, true) !== getMinimumRedaction(kind, false),
  )
  expect(affected).toEqual(['wrapper_receipt', 'text_entry'])
})

test('masking keeps the app and internal references', () => {
  const ref = `snapshot:${SESSION_ID}#n12`
  const out = redact(
    {
      adapter_kind: 'browser_dom',
      app_family: 'Word',
      bundle_id: 'com.example.word',
      window_title: 'Letter to ada@example.org',
      action_label: 'Type "Dear Ada"',
      target_ref: 'input[value="Ada"]',
      before_state_ref: ref,
      after_state_ref: `snapshot:${SESSION_ID}#n12345`,
    },
    'mask_text',
  )
  expect(out).toMatchObject({
    app_family: 'Word',
    bundle_id: 'com.example.word',
    window_title: 'Letter to •••',
    action_label: 'Type •••',
    target_ref: 'input[value=•••]',
    before_state_ref: ref,
    after_state_ref: 'snapshot:•••#n•••',
    redaction_mode: 'mask_text',
  })
})

test('a hashed event has salted hashes of label and target and no window title', () => {
  const parts = {
    action_label: 'Press A',
    target_ref: 'button',
    window_title: 'W',
    app_family: 'F',
  }
  const one = redact(parts, 'hash_only')
  const two = redact(parts, 'hash_only')
  const other = redact({ ...parts, action_label: 'Press B' }, 'hash_only')

  expect(one.action_label).toMatch(/^sha256:[0-9a-f]{16}$/)
  expect(one.action_label).toBe(two.action_label)
  expect(one.target_ref).toBe(two.target_ref)
  expect(one.action_label).not.toBe(other.action_label)
  expect(one).toMatchObject({ app_family: 'F' })
  expect(one).not.toHaveProperty('window_title')
  const salted = redactEvent(IncomingActionEvent.parse(makeEvent(SESSION_ID, parts)), {
    mode: 'hash_only',
    salt: 'another',
  })
  expect(salted.action_label).not.toBe(one.action_label)
})

test.each(RedactionMode.options)('a clipboard event has no content in mode %s', (mode) => {
  const out = redact(
    {
      adapter_kind: 'clipboard',
      action_label: 'Copied my password',
      target_ref: 'field',
      window_title: 'Bank',
      raw_text: 'my password',
    },
    mode,
  )
  expect(out.action_label).toBe('clipboard event')
  expect(JSON.stringify(out)).not.toMatch(/password|field|Bank/)
})

test('raw_text is masked wherever it occurs in the label', () => {
  const masked = (action_label: string, raw_text: string) =>
    redact({ adapter_kind: 'terminal_command', action_label, raw_text }, 'mask_text').action_label
  expect(masked('Run deploy now', 'deploy')).toBe('Run ••• now')
  expect(masked('Run deployment now', 'deploy')).toBe('Run •••ment now')
  expect(masked('Press a at last', 'a')).toBe('Press ••• at last')
  expect(masked('Cost (a+b)? yes', ' (a+b)? ')).toBe('Cost ••• yes')
  expect(masked('Nothing of it', '')).toBe('Nothing of it')
})

test('every redacted event fits the contract and has no raw_text', () => {
  const texts = fc.string({ unit: 'binary', maxLength: 240 })
  fc.assert(
    fc.property(
      fc.record({
        adapter_kind: fc.constantFrom(...AdapterKind.options),
        action_label: fc
          .string({ unit: 'binary', minLength: 1, maxLength: 240 })
          .filter((text) => /\S/.test(text) && text.length <= 240),
        target_ref: texts.filter((text) => text.length <= 240),
        window_title: texts.filter((text) => text.length <= 200),
        raw_text: fc.string({ unit: 'binary', maxLength: 60 }),
      }),
      fc.constantFrom(...RedactionMode.options),
      (parts, mode) => {
        const out = redact(parts, mode)
        expect(ObservedActionEvent.safeParse(out).success).toBe(true)
        expect(out).not.toHaveProperty('raw_text')
      },
    ),
    { numRuns: countRuns(500) },
  )
})

test('without consent only unmasked typed text is rejected; with consent it is stored unmasked', async () => {
  const daemon = await startDaemon()
  const unmasked = {
    adapter_kind: 'text_entry',
    redaction_mode: 'none',
    action_label: 'Type "x y"',
  } as const
  const armed = { adapters_armed: ['text_entry' as const] }
  const without = await daemon.aSessionIn('capturing', armed)
  const withIt = await daemon.aSessionIn('capturing', { ...armed, text_capture_consent: true })
  const refused = makeEvent(without, unmasked)

  const reply = await sendEvents(daemon, without, [
    refused,
    makeEvent(without, { ...unmasked, redaction_mode: 'mask_text' }),
  ])
  await sendEvents(daemon, withIt, [makeEvent(withIt, unmasked)])

  expect(reply.statusCode).toBe(202)
  expect(reply.json()).toMatchObject({
    accepted: 1,
    rejected: [{ event_id: refused.event_id, code: 'OBSERVATION_CONSENT_REQUIRED' }],
  })
  expect(listStored(daemon, without).map((event) => event.action_label)).toEqual(['Type •••'])
  expect(listStored(daemon, withIt)).toMatchObject([{ action_label: 'Type "x y"', redaction_mode: 'none' }])
})

test('text consent does not unmask other adapters', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing', {
    text_capture_consent: true,
    adapters_armed: ['browser_dom'],
  })

  await sendEvents(daemon, id, [
    makeEvent(id, { adapter_kind: 'browser_dom', redaction_mode: 'none', action_label: 'Tap "x"' }),
  ])

  expect(listStored(daemon, id)).toMatchObject([{ action_label: 'Tap •••', redaction_mode: 'mask_text' }])
})

test('raw text and masked text are not in the database files', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing', {
    adapters_armed: ['wrapper_receipt', 'browser_dom', 'clipboard', 'text_entry'],
  })
  const secret = 'zanzibar-marmalade'
  const kinds = ['wrapper_receipt', 'browser_dom', 'clipboard', 'text_entry'] as const
  const reply = await sendEvents(
    daemon,
    id,
    kinds.flatMap((adapter_kind) => [
      makeEvent(id, {
        adapter_kind,
        raw_text: secret,
        action_label: `Type "${secret}" into ${secret}`,
        window_title: `Window of ${secret}`,
        target_ref: `field ${secret}`,
      }),
    ]),
  )
  expect(reply.json()).toMatchObject({ accepted: 4 })

  const listFilesWithSecret = () =>
    readdirSync(daemon.home).filter(
      (name) => name.startsWith('apprentice.db') && readFileSync(join(daemon.home, name)).includes(Buffer.from(secret)),
    )
  expect(listFilesWithSecret()).toEqual([])
  await daemon.stop()
  expect(readFileSync(join(daemon.home, 'apprentice.db')).includes('Type ‹text:1›')).toBe(true)
  expect(listFilesWithSecret()).toEqual([])
})
