import { expect, test } from 'vitest'
import { PolicyHours, type PolicyProfile } from '@apprentice/contracts/policy/profile.ts'
import {
  decidePolicy,
  decideTouch,
  type PolicyDecision,
  type PolicySubject,
} from '../../src/knowledge/recipes/policy/decide-policy.ts'
import { isWithinHours } from '../../src/knowledge/recipes/policy/policy-hours.ts'

const NOTHING: PolicySubject = { capabilities: [], packages: [], consent: false }

const readRule = (decision: PolicyDecision): string => (decision.allowed ? 'allowed' : decision.details.rule)

test.each<[string, Omit<PolicyProfile, 'name'>, Partial<PolicySubject>]>([
  ['capabilities', { deny_capabilities: ['click'] }, { capabilities: ['click'] }],
  ['capabilities', { allow_capabilities: ['observe'] }, { capabilities: ['observe', 'type_text'] }],
  ['purchase_risk', { purchase_risk: 'deny' }, { capabilities: ['purchase_risk'], consent: true }],
  ['purchase_risk', { purchase_risk: 'consent' }, { capabilities: ['purchase_risk'] }],
  ['allowed', { purchase_risk: 'consent' }, { capabilities: ['purchase_risk'], consent: true }],
  ['allowed', { purchase_risk: 'allow' }, { capabilities: ['purchase_risk'] }],
  [
    'purchase_risk',
    { deny_capabilities: ['purchase_risk'], purchase_risk: 'allow' },
    { capabilities: ['purchase_risk'] },
  ],
  ['packages', { allow_packages: ['org.example.*'] }, { packages: ['org.other'] }],
  ['allowed', { allow_packages: ['org.example.*'] }, { packages: ['org.example.app'] }],
  ['devices', { allow_devices: ['a'] }, { serial: 'b' }],
  ['devices', { deny_devices: ['b'] }, { serial: 'b' }],
  ['allowed', { allow_devices: ['a'] }, { serial: 'a' }],
])('the rule %s decides for the profile %j and the work %j', (rule, profile, work) => {
  expect(readRule(decidePolicy([{ name: 'p', ...profile }], { ...NOTHING, ...work }))).toBe(rule)
})

test('a further profile restricts and never extends', () => {
  const strict: PolicyProfile = { name: 'strict', purchase_risk: 'deny', deny_packages: ['org.shop'] }
  const open: PolicyProfile = { name: 'open', purchase_risk: 'allow', allow_packages: ['org.shop'] }
  const work = { ...NOTHING, packages: ['org.shop'] }
  for (const profiles of [
    [strict, open],
    [open, strict],
  ]) {
    expect(decidePolicy(profiles, work)).toMatchObject({ allowed: false, details: { profile: 'strict' } })
  }
})

test.each([
  ['2026-03-02T08:30:00.000Z', true], // Monday, 09:30 in Berlin
  ['2026-03-02T07:59:00.000Z', false],
  ['2026-03-02T16:00:00.000Z', false],
  ['2026-03-01T08:30:00.000Z', false], // Sunday
  ['2026-06-01T07:30:00.000Z', true], // summer time
])('at %s work is allowed: %j', (now, isAllowed) => {
  const hours = PolicyHours.parse({
    time_zone: 'Europe/Berlin',
    windows: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '17:00' }],
  })
  expect(isWithinHours(hours, now)).toBe(isAllowed)
})

test.each([
  ['2026-03-06T23:00:00.000Z', true], // Friday night
  ['2026-03-07T05:59:00.000Z', true], // the Saturday after it
  ['2026-03-07T06:00:00.000Z', false],
  ['2026-03-06T05:00:00.000Z', false], // the night of Thursday
])('a window over midnight belongs to the day it starts on: %s %j', (now, isAllowed) => {
  const hours = PolicyHours.parse({ windows: [{ days: ['fri'], from: '22:00', to: '06:00' }] })
  expect(isWithinHours(hours, now)).toBe(isAllowed)
})

test('an unknown time zone is refused', () => {
  expect(PolicyHours.safeParse({ time_zone: 'Mars/Base', windows: [{ from: '01:00', to: '02:00' }] }).success).toBe(
    false,
  )
})

test('a touch is judged by the app that shows the node and by its words', () => {
  const profiles: PolicyProfile[] = [{ name: 'p', allow_packages: ['org.notes'], purchase_risk: 'consent' }]
  const touch = (name: string, text: string, consent = false) =>
    readRule(decideTouch(profiles, { package: name, texts: [text] }, consent))
  expect(touch('org.shop', 'Open')).toBe('packages')
  expect(touch('org.notes', 'Open')).toBe('allowed')
  expect(touch('org.notes', 'Place order')).toBe('purchase_risk')
  expect(touch('org.notes', 'Place order', true)).toBe('allowed')
})
