import type { SkillEntry } from '@apprentice/contracts/skills/skill.ts'
import { Failure } from '../../failure/failure.ts'
import { toSlashes } from './skill-paths.ts'

const RECIPE_SUFFIX = '.recipe.json'

export interface NamedArtifact {
  readonly path: string
  /** Used in the ids of its executions. */
  readonly name: string
}

/** Accepts `battery`, `battery.recipe.json`, or the path in the registry. */
export function findArtifact({ id, artifacts }: SkillEntry, requested: string): NamedArtifact {
  const plain = toSlashes(requested)
  const name = plain.replace(/\.recipe\.json$/i, '')
  const candidates = [`${name}${RECIPE_SUFFIX}`, plain]
  const path = artifacts
    .map(toSlashes)
    .find((one) => candidates.some((file) => one === file || one.endsWith(`/${file}`)))
  if (path === undefined) {
    throw new Failure('ARTIFACT_NOT_FOUND', `Artifact not found: ${requested}`, {
      details: { skillId: id, artifactName: requested, artifacts },
    })
  }
  const file = path.split('/').at(-1) ?? path
  return { path, name: file.replace(/\.recipe\.json$/i, '') }
}
