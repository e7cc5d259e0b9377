import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import { matchTarget, resolveTarget } from '../../src/screen/matcher.ts'
import type { Hierarchy } from '../../src/screen/tree/hierarchy.ts'
import { referenceMatches } from './reference-matcher.ts'
import { type Sketch, node, screen, text } from './tree-builder.ts'
import { countRuns } from '../kit/count-runs.ts'

const paths = (hierarchy: Hierarchy, matcher: NodeMatcher) => {
  const matches = matchTarget(hierarchy, { matcher })
  return matches.kind === 'found' ? matches.nodes.map(({ path }) => path) : matches.error
}

const settings = screen(
  node(
    {},
    node(
      { class: 'androidx.recyclerview.widget.RecyclerView', 'resource-id': 'a:id/list' },
      node({ clickable: 'true' }, text('Wi-Fi', { 'resource-id': 'a:id/title' }), text('On')),
      node({ clickable: 'true' }, text('Battery', { 'resource-id': 'a:id/title' }), text('80%')),
    ),
    node({ class: 'android.widget.Button', text: 'Save', clickable: 'true' }),
    node({ class: 'android.widget.ImageButton', 'content-desc': 'Save', enabled: 'false' }),
  ),
)

test.each([
  [{ resourceId: 'a:id/title' }, ['0.0.0.0', '0.0.1.0']],
  [{ resourceId: 'id/title' }, []],
  [{ textEquals: 'Save' }, ['0.1', '0.2']],
  [{ textEquals: 'save' }, []],
  [{ textContains: 'BATT' }, ['0.0.1.0']],
  [{ contentDescEquals: 'Save' }, ['0.2']],
  [{ contentDescContains: 'SAV' }, ['0.2']],
  [{ role: 'BUTTON' }, ['0.1', '0.2']],
  [{ class: 'android.widget.Button' }, ['0.1']],
  [{ class: 'Button' }, []],
  [{ textEquals: 'Save', enabled: false }, ['0.2']],
  [{ role: 'button', clickable: true }, ['0.1']],
  [{ textEquals: 'Save', indexInParent: 2 }, ['0.2']],
  [{ anyOf: [{ textEquals: 'On' }, { textEquals: '80%' }] }, ['0.0.0.1', '0.0.1.1']],
  [{ allOf: [{ role: 'button' }, { contentDescContains: 'a' }] }, ['0.2']],
  [{ textEquals: 'Save', role: '' }, ['0.1', '0.2']],
  [{ textContains: 't', container: { resourceId: 'a:id/list' } }, ['0.0.1.0']],
  [{ textEquals: 'Save', container: { resourceId: 'a:id/list' } }, []],
  [{ role: 'text', container: { clickable: true, index: 1 } }, ['0.0.1.0', '0.0.1.1']],
  [{ textEquals: 'Save', container: { resourceId: 'gone' } }, 'CONTAINER_NOT_FOUND'],
  [{ clickable: true, containing: { textEquals: 'Battery' } }, ['0.0.1']],
  [{ clickable: true, containing: { textEquals: 'Save' } }, []],
  [{ resourceId: 'a:id/title', containing: { textEquals: 'Wi-Fi' } }, []],
  [{ textContains: '%', container: { clickable: true, containing: { textEquals: 'Battery' } } }, ['0.0.1.1']],
  [{ textEquals: 'Gone', fallbacks: [{ textEquals: 'Lost' }, { textEquals: 'On' }] }, ['0.0.0.1']],
  [{ textEquals: '80%', fallbacks: [{ textEquals: 'On' }] }, ['0.0.1.1']],
  [
    {
      textEquals: 'Gone',
      container: { resourceId: 'gone' },
      fallbacks: [{ role: 'text', container: { clickable: true, index: 1 } }],
    },
    ['0.0.1.0', '0.0.1.1'],
  ],
  [{ textEquals: 'Gone', fallbacks: [{ clickable: true, containing: { textEquals: 'On' } }] }, ['0.0.0']],
])('%j finds %j', (matcher, found) => {
  expect(paths(settings, NodeMatcher.parse(matcher))).toEqual(found)
})

test('a container does not contain its own node', () => {
  const list = { resourceId: 'a:id/list' }
  expect(paths(settings, { ...list, container: list })).toEqual([])
})

test('the first node in tree order is chosen, or the one at the index', () => {
  const first = resolveTarget(settings, { matcher: { textEquals: 'Save' } })
  expect(first).toMatchObject({ kind: 'found', node: { path: '0.1' }, match_count: 2 })
  const second = resolveTarget(settings, { matcher: { textEquals: 'Save', index: 1 } })
  expect(second).toMatchObject({ kind: 'found', node: { path: '0.2' } })
  const third = resolveTarget(settings, { matcher: { textEquals: 'Save', index: 2 } })
  expect(third).toEqual({ kind: 'missing', error: 'NODE_NOT_FOUND' })
})

test.each([
  ['the matcher', { matcher: { textEquals: 'Save', strict: true } }],
  ['the target', { matcher: { textEquals: 'Save' }, strict: true }],
])('strict in %s fails for several matches and lists them', (_, target) => {
  const resolution = resolveTarget(settings, target)
  expect(resolution).toMatchObject({
    kind: 'ambiguous',
    error: 'NODE_AMBIGUOUS',
    candidate_count: 2,
    candidates: [
      { path: '0.1', label: 'Save', class: 'android.widget.Button', role: 'button' },
      { path: '0.2', label: 'Save', content_desc: 'Save', bounds: { right: 1080 } },
    ],
  })
})

test('strict accepts a single match and an explicit index, and applies to containers', () => {
  const strict = true
  expect(resolveTarget(settings, { matcher: { textEquals: 'On' }, strict }).kind).toBe('found')
  expect(resolveTarget(settings, { matcher: { textEquals: 'Save', index: 0 }, strict }).kind).toBe('found')
  expect(
    resolveTarget(settings, {
      matcher: { textEquals: 'On' },
      container: { resourceId: 'a:id/title' },
      strict,
    }),
  ).toMatchObject({ kind: 'ambiguous', error: 'CONTAINER_AMBIGUOUS', candidate_count: 2 })
})

test('fallbacks vote for a missing node, not for an ambiguous one', () => {
  const fallbacks = [{ textEquals: 'On' }]
  const strict = true
  expect(resolveTarget(settings, { matcher: { textEquals: 'Save', fallbacks }, strict })).toMatchObject({
    kind: 'ambiguous',
    candidate_count: 2,
  })
  const late = resolveTarget(settings, { matcher: { textEquals: 'Save', index: 2, fallbacks } })
  expect(late).toMatchObject({ kind: 'found', node: { path: '0.0.0.1' }, fallback: 1 })
  const own = resolveTarget(settings, { matcher: { textEquals: 'On', fallbacks } })
  expect(own).not.toHaveProperty('fallback')
  const several = { textEquals: 'Gone', fallbacks: [{ textEquals: 'Save' }, ...fallbacks] }
  const only = { kind: 'found', node: { path: '0.0.0.1' }, fallback: 2, votes: 1 }
  expect(resolveTarget(settings, { matcher: several, strict })).toMatchObject(only)
  expect(resolveTarget(settings, { matcher: { ...several, strict } })).toMatchObject(only)
  expect(resolveTarget(settings, { matcher: several }).kind).toBe('missing')
})

test('a fallback does not search outside the container of the target', () => {
  const matcher = { textEquals: 'Gone', fallbacks: [{ textEquals: 'Save' }] }
  const container = { resourceId: 'a:id/list' }
  expect(resolveTarget(settings, { matcher, container }).kind).toBe('missing')
  expect(resolveTarget(settings, { matcher }).kind).toBe('found')
})

test('containing ignores nodes that are not on screen', () => {
  const row = (attributes: Record<string, string>) =>
    screen(node({}, node({ clickable: 'true' }, node({}, text('Lobby', attributes)))))
  const matcher = { clickable: true, containing: { textEquals: 'Lobby' } }
  expect(paths(row({}), matcher)).toEqual(['0.0'])
  expect(paths(row({ bounds: '[0,0][0,50]' }), matcher)).toEqual([])
})

test('at most ten candidates are listed, and long texts are truncated', () => {
  const many = screen(node({}, ...Array.from({ length: 12 }, () => text('x'.repeat(600)))))
  const resolution = resolveTarget(many, { matcher: { textContains: 'x', strict: true } })
  if (resolution.kind !== 'ambiguous') throw new Error(resolution.kind)
  expect(resolution.candidate_count).toBe(12)
  expect(resolution.candidates).toHaveLength(10)
  expect(resolution.candidates[0]?.label).toHaveLength(512)
})

test('containers of the target and of the matcher nest', () => {
  const target = {
    matcher: { role: 'text', container: { clickable: true, index: 1 } },
    container: { resourceId: 'a:id/list' },
  }
  expect(resolveTarget(settings, target)).toMatchObject({ node: { path: '0.0.1.0' } })
})

test.each([
  ['without area', { bounds: '[0,0][0,50]' }],
  ['with negative size', { bounds: '[50,0][0,50]' }],
  ['outside the window', { bounds: '[0,2200][100,2300]' }],
  ['without a readable rectangle', { bounds: '0,0,1,1' }],
  ['marked as hidden', { 'visible-to-user': 'false' }],
])('a node %s is hidden with its children', (_, attributes) => {
  const hidden = screen(node({}, node(attributes, text('Deep', { bounds: '[0,0][9,9]' }))))
  expect(paths(hidden, { textEquals: 'Deep' })).toEqual([])
  expect(paths(screen(node({}, node({}, text('Deep')))), { textEquals: 'Deep' })).toEqual(['0.0.0'])
})

const texts = fc.constantFrom('', ' ', 'Save', 'save', 'On', 'Off')
const flag = fc.constantFrom('true', 'false')
const rectangles = fc.constantFrom(
  '[0,0][100,100]',
  '[0,0][90,90]',
  '[5,5][95,95]',
  '[20,0][100,40]',
  '[10,10][20,20]',
  '[10,10][10,20]',
  '[100,0][200,50]',
  '[-20,-20][5,5]',
  'none',
)
const classes = fc.constantFrom(
  'android.widget.TextView',
  'android.widget.Button',
  'android.widget.ImageView',
  'android.widget.LinearLayout',
  'com.google.android.material.tabs.TabLayout',
)
const sketches = (levels: number): fc.Arbitrary<Sketch> =>
  fc
    .tuple(
      fc.record({
        text: texts,
        'content-desc': texts,
        'resource-id': fc.constantFrom('', 'a:id/x', 'a:id/tabs'),
        class: classes,
        clickable: flag,
        checked: flag,
        enabled: flag,
        scrollable: flag,
        'long-clickable': flag,
        bounds: rectangles,
      }),
      levels === 0 ? fc.constant([]) : fc.array(sketches(levels - 1), { maxLength: 3 }),
    )
    .map(([attributes, children]) => node(attributes, ...children))

const maybe = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })
const predicates = {
  resourceId: fc.constantFrom('', 'a:id/x', 'a:id/tabs'),
  role: fc.constantFrom('button', 'TEXT', 'tab', 'container', 'icon'),
  textEquals: fc.constantFrom('Save', 'On', 'save'),
  textContains: fc.constantFrom('a', 'O', 'sav'),
  contentDescEquals: fc.constantFrom('Save', 'Off'),
  contentDescContains: fc.constantFrom('F', 's'),
  class: classes,
  clickable: fc.boolean(),
  checked: fc.boolean(),
  enabled: fc.boolean(),
  scrollable: fc.boolean(),
  longClickable: fc.boolean(),
  indexInParent: fc.integer({ min: 0, max: 3 }),
}
const few = fc.subarray(Object.keys(predicates) as (keyof typeof predicates)[], {
  minLength: 1,
  maxLength: 2,
})
const clause = fc
  .tuple(fc.record(predicates), few)
  .map(([all, keys]) => Object.fromEntries(keys.map((key) => [key, all[key]])))
const matchers = fc
  .record({
    flat: clause,
    anyOf: maybe(fc.array(clause, { minLength: 1, maxLength: 3 })),
    allOf: maybe(fc.array(clause, { minLength: 1, maxLength: 2 })),
    container: maybe(clause),
    containing: maybe(clause),
    fallbacks: maybe(
      fc.array(
        fc
          .record({ flat: clause, container: maybe(clause), containing: maybe(clause) })
          .map(({ flat, ...rest }) => ({ ...flat, ...rest })),
        { maxLength: 2 },
      ),
    ),
  })
  .map(({ flat, ...rest }) => NodeMatcher.safeParse({ ...flat, ...rest }))
  .filter((parsed) => parsed.success)
  .map((parsed) => parsed.data)

test('matching agrees with the naive reference on random trees and matchers', () => {
  let matched = 0
  fc.assert(
    fc.property(sketches(3), matchers, (tree, matcher) => {
      const hierarchy = screen(node({ bounds: '[0,0][100,100]' }, tree))
      const expected = referenceMatches(hierarchy, matcher)
      const found = paths(hierarchy, matcher)
      expect(found).toEqual(expected === 'no container' ? 'CONTAINER_NOT_FOUND' : expected)
      // Fallbacks vote, so only the matcher itself finds the first node in tree order.
      const { fallbacks: _fallbacks, ...plain } = matcher
      const one = resolveTarget(hierarchy, { matcher: plain })
      const own = referenceMatches(hierarchy, plain)
      expect(one.kind === 'found' ? one.node.path : undefined).toBe(own === 'no container' ? undefined : own[0])
      if (Array.isArray(found) && found.length > 0) matched += 1
    }),
    { numRuns: countRuns(2500) },
  )
  expect(matched).toBeGreaterThan(countRuns(2500) / 10)
})
