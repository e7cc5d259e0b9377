import type { CapabilityManifest } from '@apprentice/contracts/capabilities/capability.ts'
import { Failure } from '../../failure/failure.ts'
import type { Reader } from '../../store/db/db.ts'
import { listInstalledFiles } from '../../store/install/installed-files.ts'
import { getVisibleAbility } from '../abilities/visibility.ts'
import { findCurrentVersion } from '../abilities/current-recipe.ts'

/** A file of an exported bundle. `stored_sha256` names the stored file of an imported skill that has the content. */
export interface ExportedFile {
  readonly path: string
  readonly content: string
  readonly stored_sha256?: string | undefined
  readonly executable?: true | undefined
}

/**
 * The current version of an ability as a bundle, ordered by path. The bundle does not contain its origin: exporting,
 * importing and exporting again gives the same bundle.
 */
export function buildExport(
  reader: Reader,
  abilityId: string,
  caller: string,
): { readonly name: string; readonly files: ExportedFile[] } {
  const { skill_slug } = getVisibleAbility(reader, abilityId, caller)
  const version = findCurrentVersion(reader, abilityId)
  if (version === undefined || skill_slug === undefined) throw abilityNotPortable(abilityId)
  const named = { ability_id: abilityId, version: version.version, place: 'canonical' as const }
  const own = listInstalledFiles(reader, named).map(({ path, content, sha256, staged_ref, executable }) => ({
    path,
    content,
    ...(typeof staged_ref === 'string' ? { stored_sha256: sha256 } : {}),
    ...(executable === true ? { executable } : {}),
  }))
  if (own.length === 0) throw abilityNotPortable(abilityId)
  const manifest = {
    path: `capabilities/${skill_slug}.json`,
    content: `${JSON.stringify(toPortableManifest(version.manifest, skill_slug), null, 2)}\n`,
  }
  const files = [...own.filter(({ path }) => path !== manifest.path), manifest]
  return { name: skill_slug, files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)) }
}

/** SKILL.md of the current version. */
export function getSkillFile(reader: Reader, abilityId: string, caller: string): ExportedFile {
  const skill = buildExport(reader, abilityId, caller).files.find(({ path }) => path === 'SKILL.md')
  if (skill === undefined) throw abilityNotPortable(abilityId)
  return skill
}

/** Each installation assigns its own id, so the exported manifest uses the name of the skill. */
const toPortableManifest = (manifest: CapabilityManifest, slug: string): CapabilityManifest => ({
  ...manifest,
  capability_id: slug,
  health_probe: { ...manifest.health_probe, target: slug },
})

const abilityNotPortable = (abilityId: string): Failure =>
  new Failure('ABILITY_NOT_PORTABLE', `${abilityId} has no files to export.`)
