/** A skill as it lies on disk. */
export interface FoundSkill {
  readonly skill_id: string
  /** Its own folder, absolute. */
  readonly folder: string
  /** What paths in `skill.json` are relative to: the folder above the one with the registry. */
  readonly root: string
  /** The registry it is listed in, if there is one. */
  readonly registry_path?: string | undefined
  /** `skill.json`, unread; undefined when it cannot be read as JSON. */
  readonly document: unknown
  /** Why it is not fit to be run, when a registry has looked. */
  readonly problem?: { readonly message: string; readonly details: Record<string, unknown> }
}

/** Where skills are found. The only thing a run needs of a registry. */
export interface SkillSource {
  find(skillId: string): Promise<FoundSkill | undefined>
}
