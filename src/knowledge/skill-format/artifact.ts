import type { SkillEntry } from '@apprentice/contracts/skills/skill.ts'
import { Failure } from '../../failure/failure.ts'
import { plainPath } from './skill-paths.ts'

const RECIPE = '.recipe.json'

export interface NamedArtifact {
  readonly path: string
  /** Its name, which the ids of what it makes are made of. */
  readonly name: string
}

/** The artifact of that name: `battery`, `battery.recipe.json`, or the whole path as the registry has it. */
export function findArtifact({ id, artifacts }: SkillEntry, asked: string): NamedArtifact {
  const plain = plainPath(asked)
  const name = plain.replace(/\.recipe\.json$/i, '')
  const wanted = [`${name}${RECIPE}`, plain]
  const path = artifacts
    .map(plainPath)
    .find((one) => wanted.some((file) => one === file || one.endsWith(`/${file}`)))
  if (path === undefined) {
    throw new Failure('ARTIFACT_NOT_FOUND', `Artifact not found: ${asked}`, {
      details: { skillId: id, artifactName: asked, artifacts },
    })
  }
  const file = path.split('/').at(-1) ?? path
  return { path, name: file.replace(/\.recipe\.json$/i, '') }
}
