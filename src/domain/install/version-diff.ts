import { Failure } from '../../failure/failure.ts'
import { formatRecipe } from '../../knowledge/canonical-json/canonical-json.ts'
import { type AbilityVersionRow, listAbilityVersions } from '../../store/abilities/ability-versions.ts'
import type { Reader } from '../../store/db/db.ts'
import { listInstalledFiles } from '../../store/install/installed-files.ts'
import { getVisibleAbility } from '../abilities/visibility.ts'

/** A text of a version. `stored_sha256` names the stored file of an imported skill that has the content. */
export interface VersionText {
  readonly content: string
  readonly stored_sha256?: string | undefined
}

export interface ComparedVersions {
  readonly version: number
  /** Absent for the first version. */
  readonly from: number | undefined
  readonly texts: readonly {
    readonly name: string
    readonly before: VersionText | undefined
    readonly after: VersionText | undefined
  }[]
}

interface VersionPair {
  readonly version: number
  readonly from?: number | undefined
}

const COMPARED_TEXTS = ['SKILL.md', 'recipe.json'] as const

/** Finds the texts of two versions. A text that neither version has is left out. */
export function findComparedTexts(
  reader: Reader,
  abilityId: string,
  caller: string,
  { version, from }: VersionPair,
): ComparedVersions {
  getVisibleAbility(reader, abilityId, caller)
  const rows = listAbilityVersions(reader, abilityId)
  const base = from ?? rows.findLast((row) => row.version < version)?.version
  const [before, after] = [base, version].map((number) => rows.find((row) => row.version === number))
  if (after === undefined || (base !== undefined && before === undefined)) {
    throw new Failure('ABILITY_VERSION_NOT_FOUND', `${abilityId} has no such version.`)
  }
  const texts = COMPARED_TEXTS.map((name) => ({
    name,
    before: before && findText(reader, before, name),
    after: findText(reader, after, name),
  }))
  return { version, from: base, texts: texts.filter((text) => (text.before ?? text.after) !== undefined) }
}

function findText(
  reader: Reader,
  { ability_id, version, recipe }: AbilityVersionRow,
  name: (typeof COMPARED_TEXTS)[number],
): VersionText | undefined {
  if (name === 'recipe.json') return recipe && { content: formatRecipe(recipe) }
  const files = listInstalledFiles(reader, { ability_id, version, place: 'canonical' })
  const file = files.find(({ path }) => path === name)
  if (file === undefined) return undefined
  return { content: file.content, ...(typeof file.staged_ref === 'string' && { stored_sha256: file.sha256 }) }
}
