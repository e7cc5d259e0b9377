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

const apps = Array.from({ length: 400 }, (_, n) => `com.vendor${n % 37}.app${n}`)
const VERBS = ['get', 'set', 'open', 'close', 'search', 'read', 'start', 'stop']
const THINGS = ['lamp', 'battery', 'room', 'usage', 'door', 'vacuum', 'price', 'timer', 'list']

function buildEntry(n: number): object {
  const applicationId = apps[n % apps.length] ?? ''
  const thing = THINGS[n % THINGS.length] ?? ''
  const intent = `${VERBS[n % VERBS.length]}-${thing}-${n}`
  const path = `skills/${applicationId}.${intent}`
  return {
    id: `${applicationId}.${intent}`,
    applicationId,
    intent,
    summary: `Does what is wanted with the ${thing} of house ${n % 97}`,
    ...(n % 5 === 0 ? { keywords: [thing, `house ${n % 97}`, 'home'] } : {}),
    path,
    skillFile: `${path}/SKILL.md`,
    scripts: [`${path}/scripts/run.js`, `${path}/scripts/run.sh`],
    artifacts: [],
    contract: { inputs: { state: 'string' }, goal: { kind: 'set' }, verification: null },
  }
}

let root: string | undefined

/** Made at the first run, used by all. */
function getRoot(): string {
  if (root !== undefined) return root
  root = mkdtempSync(join(tmpdir(), 'apprentice-bench-skills-'))
  mkdirSync(join(root, 'skills'))
  const skills = Array.from({ length: SKILL_COUNT }, (_, n) => buildEntry(n))
  const text = JSON.stringify({ schemaVersion: '1.0', skills }, null, 2)
  writeFileSync(join(root, 'skills', 'skills-registry.json'), text)
  return root
}

/** Finding a skill among five thousand, and making executions of recipes. */
export const skillFigures: Figure = {
  name: 'skills',
  baseline: 'what the project has set itself',
  run: async () => {
    const library = new SkillLibrary([getRoot()], {
      clock: () => new Date(),
      onChanged: () => undefined,
    })
    try {
      const began = performance.now()
      const catalog = await library.catalog()
      const load = performance.now() - began
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

/** As a request does it: a look whether the registry changed, then the search. */
async function measureSearch(library: SkillLibrary): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < SEARCH_COUNT; n += 1) {
    const keyword = n % 3 === 0 ? `house ${n % 97}` : (THINGS[n % THINGS.length] ?? '')
    const began = performance.now()
    const catalog = await library.catalog()
    const found = catalog.search(n % 7 === 0 ? { app: apps[n % apps.length] } : { keyword })
    times.push(performance.now() - began)
    if (found.length === 0) throw new Error(`Nothing was found for ${keyword}.`)
  }
  return times
}

/** Each is another recipe, so nothing can be remembered. */
function measureCompile(): Measure {
  const recipes = Array.from({ length: RECIPE_COUNT }, (_, n) => ({
    ...setTemperature,
    recipe_id: `${setTemperature.recipe_id}-${n}`,
  }))
  const began = performance.now()
  for (const [n, recipe] of recipes.entries()) {
    const compiled = compileRecipe(recipe, { room: `Room ${n}`, degrees: 21 })
    if (!compiled.ok) throw new Error('A recipe was not compiled.')
  }
  const seconds = (performance.now() - began) / 1000
  return compareRates(1, {
    what: 'recipes compiled',
    ours: RECIPE_COUNT / seconds,
    baseline: 1000,
    unit: 'recipes/s',
  })
}
