import type { CapabilityManifest } from '@apprentice/contracts/capabilities/capability.ts'
import { Failure } from '../../failure/failure.ts'
import type { Reader } from '../../store/db/db.ts'
import { listInstalledFiles } from '../../store/install/installed-files.ts'
import { getVisibleAbility } from '../abilities/visibility.ts'
import { currentVersion } from '../abilities/current-recipe.ts'

/** A file of a bundle that goes out; what an imported bundle brought is still with that. */
export interface OutgoingFile {
  readonly path: string
  readonly content: string
  readonly staged_ref?: string | undefined
}

/**
 * The version in force as a bundle, in the order of its paths. Nothing in it says where it comes from: what is
 * exported, imported elsewhere and exported there again is the same.
 */
export function bundleToExport(
  reader: Reader,
  abilityId: string,
  caller: string,
): { readonly name: string; readonly files: OutgoingFile[] } {
  const { skill_slug } = getVisibleAbility(reader, abilityId, caller)
  const version = currentVersion(reader, abilityId)
  if (version === undefined || skill_slug === undefined) throw notPortable(abilityId)
  const named = { ability_id: abilityId, version: version.version, place: 'canonical' as const }
  const own = listInstalledFiles(reader, named).map(({ path, content, staged_ref }) => ({
    path,
    content,
    ...(typeof staged_ref === 'string' ? { staged_ref } : {}),
  }))
  if (own.length === 0) throw notPortable(abilityId)
  const manifest = {
    path: `capabilities/${skill_slug}.json`,
    content: `${JSON.stringify(portable(version.manifest, skill_slug), null, 2)}\n`,
  }
  const files = [...own.filter(({ path }) => path !== manifest.path), manifest]
  return { name: skill_slug, files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)) }
}

/** An id is given to it wherever it is installed; on the way it has the name of the skill. */
const portable = (manifest: CapabilityManifest, slug: string): CapabilityManifest => ({
  ...manifest,
  capability_id: slug,
  health_probe: { ...manifest.health_probe, target: slug },
})

const notPortable = (abilityId: string): Failure =>
  new Failure('ABILITY_NOT_PORTABLE', `${abilityId} has no files of its own.`)
