import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentSkillsFolder } from '../../src/config/paths.ts'
import { readFields } from '../../src/knowledge/markdown/fields.ts'
import { splitDocument } from '../../src/knowledge/markdown/document.ts'
import { AbilityIndex, type IndexedAbility } from '../../src/knowledge/lookup/ability-index.ts'
import { readQuery } from '../../src/knowledge/lookup/scorer.ts'
import { chooseTitle } from '../../src/knowledge/search-words/title.ts'
import { deriveNegativeTriggers, deriveTriggers } from '../../src/knowledge/search-words/trigger-phrases.ts'
import { describeSkillsForLookup } from '../../src/knowledge/search-words/registry-skill.ts'
import type { SkillEntry } from '@apprentice/contracts/skills/skill.ts'
import { compareRates, type Figure, type Measure } from './figure.ts'
import { deriveEarlierTriggers } from './earlier-triggers.ts'
import { REQUESTS } from './lookup-requests.ts'
import { type DescribedSkill, IMPORTED_SKILLS } from './lookup-skills.ts'

const REGISTRY = join(import.meta.dirname, '../corpus/clawperator-skills/skills/skills-registry.json')

/** How many of the requests find the right skill in first place and among the first three. */
export interface FoundRates {
  readonly requests: number
  readonly skills: number
  readonly first: number
  readonly top3: number
  readonly missed: readonly string[]
}

export const skillsFound: Figure = {
  name: 'lookup of skills by request',
  baseline: 'triggers as they were made before, without skills of the registry',
  run: () => {
    const [before, after] = [measureFound(buildEarlierAbilities()), measureFound(buildAbilities())]
    return Promise.resolve([
      toMeasure('found in first place', before.first, after.first),
      toMeasure('found among the first three', before.top3, after.top3),
    ])
  },
}

const toMeasure = (what: string, baseline: number, ours: number): Measure =>
  compareRates(1, { what, ours, baseline, unit: `of ${countRequests()}` })

const countRequests = (): number => REQUESTS.flatMap(([, texts]) => texts).length

/** Asks as an agent does: only matches by text, with the lanes of a request. */
export function measureFound(abilities: readonly IndexedAbility[]): FoundRates {
  const index = new AbilityIndex()
  for (const ability of abilities) index.set(ability)
  const options = { caller: 'someone', lanes: new Set(['approved_workspace'] as const), require_text_match: true }
  let [first, top3] = [0, 0]
  const missed: string[] = []
  for (const [name, texts] of REQUESTS) {
    const wanted = name.split('|')
    for (const text of texts) {
      const found = index.find(readQuery(text), options).map(({ ability }) => ability.ability_id)
      const at = found.findIndex((id) => wanted.some((one) => id === one || id.endsWith(`.${one}`)))
      if (at === 0) first += 1
      if (at >= 0 && at < 3) top3 += 1
      if (at !== 0) missed.push(`${name}: "${text}" is ${at < 0 ? 'not found' : `number ${at + 1}`} after ${found[0]}`)
    }
  }
  return { requests: countRequests(), skills: abilities.length, first, top3, missed }
}

/** The abilities of all skills with today's rules. */
export const buildAbilities = (): IndexedAbility[] => [
  ...listDescribed().map((skill) =>
    toAbility(`imported.${skill.name}`, {
      title: chooseTitle(skill),
      trigger_phrases: deriveTriggers(skill),
      negative_triggers: deriveNegativeTriggers(skill),
    }),
  ),
  ...describeRegistry(),
]

function describeRegistry(): IndexedAbility[] {
  const entries = readRegistry()
  return describeSkillsForLookup(entries).map((words, at) => toAbility(`skill.${entries[at]?.id}`, words))
}

const buildEarlierAbilities = (): IndexedAbility[] =>
  listDescribed().map(({ name, description, heading }) =>
    toAbility(`imported.${name}`, {
      title: heading,
      trigger_phrases: deriveEarlierTriggers(description),
      negative_triggers: [],
    }),
  )

type LookupWords = Pick<IndexedAbility, 'title' | 'trigger_phrases' | 'negative_triggers'>

const toAbility = (ability_id: string, words: LookupWords): IndexedAbility => ({
  ability_id,
  owner_user_id: 'someone',
  visibility: 'workspace',
  project_scopes: [],
  install_lane: 'approved_workspace',
  checkpoint_health: 'no_data',
  usable_now: true,
  ...words,
})

const listDescribed = (): DescribedSkill[] => [...IMPORTED_SKILLS, ...readGuides()]

function readGuides(): DescribedSkill[] {
  return readdirSync(agentSkillsFolder).map((name) => {
    const { header = '', body } = splitDocument(readFileSync(join(agentSkillsFolder, name, 'SKILL.md'), 'utf8'))
    const read = readFields(header)
    if (!('fields' in read)) throw new Error(`The header of ${name} is invalid.`)
    return { name, description: String(read.fields['description']), heading: /^# (.+)$/m.exec(body)?.[1] ?? name }
  })
}

const readRegistry = (): SkillEntry[] => (JSON.parse(readFileSync(REGISTRY, 'utf8')) as { skills: SkillEntry[] }).skills
