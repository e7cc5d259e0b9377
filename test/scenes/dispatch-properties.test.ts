import fc from 'fast-check'
import { parse, stringify } from 'smol-toml'
import { expect, test } from 'vitest'
import { SceneCatalog } from '../../src/knowledge/scenes/catalog.ts'
import { dispatchInstruction } from '../../src/knowledge/scenes/dispatch.ts'
import { countRuns } from '../kit/count-runs.ts'
import { makePackage, ORG_PARAM, PERIOD_PARAM, type SceneOptions, writePackage } from './make-scene.ts'

const MOMENT = { now: new Date('2026-03-18T04:00:00.000Z'), time_zone: 'UTC' }
const WORDS = ['线损', '台区线损', '月累计', '周累计', '报表', 'report', '兰州公司', '天水', '2026年3月', '3月', '知乎']
const HOSTS = ['one.test', 'two.test', 'three.test']

const words = fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 })

const sceneOptions = fc.record({
  domain: fc.constantFrom(...HOSTS),
  path: fc.constantFrom('/a', '/b'),
  include: words,
  exclude: fc.constantFrom([], ['知乎']),
  titles: fc.constantFrom([], ['线损'], ['报表']),
  params: fc.constantFrom('', ORG_PARAM, PERIOD_PARAM, ORG_PARAM + PERIOD_PARAM),
})

const scenes = fc
  .array(sceneOptions, { minLength: 1, maxLength: 6 })
  .map((all) => all.map((one, at): SceneOptions => ({ id: `scene-${at}`, ...one })))

const request = fc.record({
  instruction: words.map((all) => `${all.join(' ')}。。。`),
  page: fc.record({
    url: fc.constantFrom(undefined, ...HOSTS.map((host) => `http://${host}:8080/a`)),
    title: fc.constantFrom('', '线损', '报表 线损'),
  }),
})

const options = { numRuns: countRuns(400) }

test('the order in which packages are read does not change the decision', () => {
  fc.assert(
    fc.property(scenes, request, fc.func(fc.integer()), (all, asked, order) => {
      const packages = all.map((one) => makePackage(one))
      const shuffled = packages.toSorted((a, b) => order(a.folder) - order(b.folder))
      const decided = dispatchInstruction(new SceneCatalog(packages), asked, MOMENT)
      expect(dispatchInstruction(new SceneCatalog(shuffled), asked, MOMENT)).toEqual(decided)
    }),
    options,
  )
})

type Order = (key: string) => number

/** The same value with the keys of all its tables in another order. */
function reorder(value: unknown, order: Order): unknown {
  if (Array.isArray(value)) return value.map((one) => reorder(one, order))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => order(a) - order(b))
  return Object.fromEntries(entries.map(([key, inner]) => [key, reorder(inner, order)]))
}

function reorderFiles(scene: SceneOptions, order: Order): Record<string, string> {
  const files = Object.entries(writePackage(scene)).filter(([path]) => path.endsWith('.toml'))
  return Object.fromEntries(files.map(([path, text]) => [path, stringify(reorder(parse(text), order))]))
}

test('the order of tables and keys in the files of a package does not change the decision', () => {
  let changed = 0
  fc.assert(
    fc.property(scenes, request, fc.func(fc.integer()), (all, asked, order) => {
      const decided = dispatchInstruction(new SceneCatalog(all.map((one) => makePackage(one))), asked, MOMENT)
      const rewritten = all.map((one) => ({ one, files: reorderFiles(one, order) }))
      const unsorted = reorderFiles(all[0] ?? {}, () => 0)
      if (rewritten[0]?.files['scene.toml'] !== unsorted['scene.toml']) changed += 1
      const catalog = new SceneCatalog(rewritten.map(({ one, files }) => makePackage(one, files)))
      expect(catalog.refusals).toEqual([])
      expect(dispatchInstruction(catalog, asked, MOMENT)).toEqual(decided)
    }),
    options,
  )
  expect(changed).toBeGreaterThan(0)
})

test('the place of a package does not change the decision', () => {
  fc.assert(
    fc.property(scenes, request, (all, asked) => {
      const decided = dispatchInstruction(new SceneCatalog(all.map((one) => makePackage(one))), asked, MOMENT)
      const moved = all.map((one, at) => makePackage({ ...one, root: `/other/${-at}`, folder: `z${9 - at}` }))
      expect(dispatchInstruction(new SceneCatalog(moved), asked, MOMENT)).toEqual(decided)
    }),
    options,
  )
})

test('scenes that share nothing with the request do not change the decision', () => {
  fc.assert(
    fc.property(scenes, request, fc.integer({ min: 1, max: 5 }), (all, asked, count) => {
      const unrelated = Array.from({ length: count }, (_, at) =>
        makePackage({ id: `a-unrelated-${at}`, domain: 'elsewhere.test', include: [`noise${at}`] }),
      )
      const packages = all.map((one) => makePackage(one))
      const decided = dispatchInstruction(new SceneCatalog(packages), asked, MOMENT)
      expect(dispatchInstruction(new SceneCatalog([...unrelated, ...packages]), asked, MOMENT)).toEqual(decided)
    }),
    options,
  )
})

test('a plan is the one that its scene alone gives', () => {
  fc.assert(
    fc.property(scenes, request, (all, asked) => {
      const decided = dispatchInstruction(new SceneCatalog(all.map((one) => makePackage(one))), asked, MOMENT)
      if (decided.outcome !== 'plan') return
      const alone = all.filter(({ id }) => id === decided.plan.scene_id)
      expect(dispatchInstruction(new SceneCatalog(alone.map((one) => makePackage(one))), asked, MOMENT)).toEqual(
        decided,
      )
    }),
    options,
  )
})
