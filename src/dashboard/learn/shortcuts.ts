/** What a shortcut of another page fills in on the page for new abilities. */
export interface ShortcutQuery {
  readonly ability?: string
  readonly device?: string
  readonly observe?: string
}

const NEW = '/learn/new'

/** Learn From This, and Use as Example: the run is chosen among the past runs. */
export const toLearnFrom = (executionId: string): string => `${NEW}?execution=${executionId}`

/** Improve This Skill. */
export const toImprove = (abilityId: string): string =>
  `${NEW}?mode=improving_existing_skill&ability=${encodeURIComponent(abilityId)}`

/** Watch My Actions: only the observation mode of the session differs. */
export const toWatch = (serial: string): string =>
  `${NEW}?mode=demonstrating_skill&observe=outside_agent&device=${encodeURIComponent(serial)}`
