import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileRecipe } from '../../src/knowledge/recipes/compile/compile.ts'
import { SkillLibrary } from '../../src/skill-runtime/skill-library.ts'
import { setTemperature } from '../recipes/samples.ts'
import { compareToLimit, compareRates, type Figure, type Measure, quantile } from './figure.ts'

const SKILL_COUNT = 5000
const SEARCH_COUNT = 2000
const RECIPE_COUNT = 1000

const APPS = Array.from({ length: 400 }, (_, n) => `com.vendor${n % 37}.app${n}`)
const VERBS = ['get', 'set', 'open', 'close', 'search', 'read', 'start', 'stop']
const THINGS = ['lamp', 'battery', 'room', 'usage', 'door', 'vacuum', 'price', 'timer', 'list']

function buildEntry(n: number): object {
  const applicationId = APPS[n % APPS.length] ?? ''
  const thing = THINGS[n % THINGS.length] ?? ''
  const intent = `${VERBS[n % VERBS.length]}-${thing}-${n}`
  const path = `skills/${applicationId}.${intent}`
  return {
    id: `${applicationId}.${intent}`,
    applicationId,
    intent,
    summary: `Controls the ${thing} of house ${n % 97}`,
    ...(n % 5 === 0 ? { keywords: [thing, `house ${n % 97}`, 'home'] } : {}),
    path,
    skillFile: `${path}/SKILL.md`,
    scripts: [`${path}/scripts/run.js`, `${path}/scripts/run.sh`],
    artifacts: [],
    contract: { inputs: { state: 'string' }, goal: { kind: 'set' }, verification: null },
  }
}

let root: string | undefined

/** Created at the first run and reused. */
function getRoot(): string {
  if (root !== undefined) return root
  root = mkdtempSync(join(tmpdir(), 'apprentice-bench-skills-'))
  mkdirSync(join(root, 'skills'))
  const skills = Array.from({ length: SKILL_COUNT }, (_, n) => buildEntry(n))
  const text = JSON.stringify({ schemaVersion: '1.0', skills }, null, 2)
  writeFileSync(join(root, 'skills', 'skills-registry.json'), text)
  return root
}

/** Searching among five thousand skills, and compiling recipes. */
export const skillFigures: Figure = {
  name: 'skills',
  baseline: 'fixed limits',
  run: async () => {
    const library = new SkillLibrary([getRoot()], {
      clock: () => new Date(),
      onChanged: () => undefined,
    })
    try {
      const started = performance.now()
      const catalog = await library.catalog()
      const load = performance.now() - started
      if (catalog.skills.length !== SKILL_COUNT) throw new Error('Not all skills were loaded.')
      const times = await measureSearch(library)
      return [
        compareToLimit(250, { what: 'cold load of 5,000', ours: load, unit: 'ms' }),
        compareToLimit(5, { what: 'search p95', ours: quantile(times, 0.95), unit: 'ms' }),
        measureCompile(),
      ]
    } finally {
      library.close()
    }
  },
  close: () => {
    if (root !== undefined) rmSync(root, { recursive: true, force: true })
  },
}

/** Like a request: checks whether the registry changed, then searches. */
async function measureSearch(library: SkillLibrary): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < SEARCH_COUNT; n += 1) {
    const keyword = n % 3 === 0 ? `house ${n % 97}` : (THINGS[n % THINGS.length] ?? '')
    const started = performance.now()
    const catalog = await library.catalog()
    const found = catalog.search(n % 7 === 0 ? { app: APPS[n % APPS.length] } : { keyword })
    times.push(performance.now() - started)
    if (found.length === 0) throw new Error(`Nothing was found for ${keyword}.`)
  }
  return times
}

/** Every recipe is different, so that nothing can be cached. */
function measureCompile(): Measure {
  const recipes = Array.from({ length: RECIPE_COUNT }, (_, n) => ({
    ...setTemperature,
    recipe_id: `${setTemperature.recipe_id}-${n}`,
  }))
  const started = performance.now()
  for (const [n, recipe] of recipes.entries()) {
    const compiled = compileRecipe(recipe, { room: `Room ${n}`, degrees: 21 })
    if (!compiled.ok) throw new Error('A recipe was not compiled.')
  }
  const seconds = (performance.now() - started) / 1000
  return compareRates(1, {
    what: 'recipes compiled',
    ours: RECIPE_COUNT / seconds,
    baseline: 1000,
    unit: 'recipes/s',
  })
}
