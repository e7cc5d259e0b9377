import { SceneCatalog } from '../../src/knowledge/scenes/catalog.ts'
import { dispatchInstruction, type DispatchRequest } from '../../src/knowledge/scenes/dispatch.ts'
import { makePackage, ORG_PARAM, PERIOD_PARAM, type SceneOptions } from '../scenes/make-scene.ts'
import { compareRates, compareToLimit, type Figure, quantile } from './figure.ts'

const SCENES = 1000
const QUESTIONS = 2000
const MOMENT = { now: new Date('2026-03-18T04:00:00.000Z'), time_zone: 'Asia/Shanghai' }

interface Bench {
  readonly catalog: SceneCatalog
  /** All scenes share a keyword, which no registry should have. */
  readonly crowded: SceneCatalog
  readonly requests: readonly DispatchRequest[]
}

let bench: Bench | undefined

/** Finding the scene and the arguments of an instruction among a thousand scenes. */
export const sceneDispatch: Figure = {
  name: 'scene dispatch',
  baseline: 'a limit of 5 ms, and the share of instructions that give the plan that was meant',
  run: async () => {
    bench ??= createBench()
    const { catalog, crowded, requests } = bench
    const own = measure(catalog, requests)
    const shared = measure(crowded, requests.slice(0, 200))
    return [
      compareToLimit(5, { what: `p95 of ${QUESTIONS} instructions`, ours: quantile(own.times, 0.95), unit: 'ms' }),
      compareToLimit(5, { what: 'p95 if all scenes share a keyword', ours: quantile(shared.times, 0.95), unit: 'ms' }),
      compareRates(1, { what: 'plans as meant', ours: own.plans, baseline: requests.length, unit: 'plans' }),
    ]
  },
  close: () => {
    bench = undefined
  },
}

function measure(catalog: SceneCatalog, requests: readonly DispatchRequest[]) {
  const times: number[] = []
  let plans = 0
  for (const [at, request] of requests.entries()) {
    const started = performance.now()
    const decided = dispatchInstruction(catalog, request, MOMENT)
    times.push(performance.now() - started)
    if (decided.outcome === 'plan' && decided.plan.scene_id === toId(at)) plans += 1
  }
  return { times, plans }
}

const toId = (at: number): string => `report-${at % SCENES}`

const toScene = (at: number, shared: readonly string[]): SceneOptions => ({
  id: toId(at),
  domain: `host-${at % 100}.test`,
  path: `/report/${at}`,
  include: [...shared, `报表${at}号`, `月度${at}号`],
  exclude: ['知乎'],
  titles: [`报表${at}号`],
  params: ORG_PARAM + PERIOD_PARAM,
})

function createBench(): Bench {
  const build = (shared: readonly string[]): SceneCatalog =>
    new SceneCatalog(Array.from({ length: SCENES }, (_, at) => makePackage(toScene(at, shared))))
  const requests = Array.from({ length: QUESTIONS }, (_, at): DispatchRequest => {
    const number = at % SCENES
    const page =
      at % 2 === 0 ? {} : { page: { url: `http://host-${number % 100}.test:8080/`, title: `报表${number}号` } }
    return { instruction: `兰州公司 2026年${(at % 12) + 1}月 线损 报表${number}号 的数据。。。`, ...page }
  })
  return { catalog: build([]), crowded: build(['线损']), requests }
}
