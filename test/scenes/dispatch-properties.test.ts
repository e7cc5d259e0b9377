import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SceneCatalog } from '../../src/knowledge/scenes/catalog.ts'
import { dispatchInstruction } from '../../src/knowledge/scenes/dispatch.ts'
import { countRuns } from '../kit/count-runs.ts'
import { makePackage, ORG_PARAM, PERIOD_PARAM, type SceneOptions } from './make-scene.ts'

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
      const packages = all.map(makePackage)
      const shuffled = packages.toSorted((a, b) => order(a.folder) - order(b.folder))
      const decided = dispatchInstruction(new SceneCatalog(packages), asked, MOMENT)
      expect(dispatchInstruction(new SceneCatalog(shuffled), asked, MOMENT)).toEqual(decided)
    }),
    options,
  )
})

test('the place of a package does not change the decision', () => {
  fc.assert(
    fc.property(scenes, request, (all, asked) => {
      const decided = dispatchInstruction(new SceneCatalog(all.map(makePackage)), asked, MOMENT)
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
      const packages = all.map(makePackage)
      const decided = dispatchInstruction(new SceneCatalog(packages), asked, MOMENT)
      expect(dispatchInstruction(new SceneCatalog([...unrelated, ...packages]), asked, MOMENT)).toEqual(decided)
    }),
    options,
  )
})

test('a plan is the one that its scene alone gives', () => {
  fc.assert(
    fc.property(scenes, request, (all, asked) => {
      const decided = dispatchInstruction(new SceneCatalog(all.map(makePackage)), asked, MOMENT)
      if (decided.outcome !== 'plan') return
      const alone = all.filter(({ id }) => id === decided.plan.scene_id)
      expect(dispatchInstruction(new SceneCatalog(alone.map(makePackage)), asked, MOMENT)).toEqual(decided)
    }),
    options,
  )
})
