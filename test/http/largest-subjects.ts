import type { AnyContract } from '@apprentice/contracts/base/route.ts'
import { addAbility } from '../abilities/ability-rows.ts'
import { adminToken, type Daemon } from '../kit/daemon.ts'
import { addObservation } from '../learn/demonstrated-session.ts'
import { importAndStage } from '../skill-import/import-kit.ts'
import { draftProposal } from '../validation/drafts.ts'

/** Things that exist and belong to the user of the token. A body is read in full only for these. */
export interface Subjects {
  readonly token: string
  /** Ids by the name of the path parameter or of the field of the body. */
  readonly ids: Readonly<Record<string, string>>
}

/** Creates what a route may refer to, new for each route because a request may end it. */
export class SubjectFactory {
  readonly #daemon: Daemon
  #count = 0
  #importId: Promise<string> | undefined

  constructor(daemon: Daemon) {
    this.#daemon = daemon
  }

  async create({ url, tag }: AnyContract): Promise<Subjects> {
    if (tag === 'skill imports') {
      // A second bundle with the same name could not be staged.
      this.#importId ??= importAndStage(this.#daemon).then(({ import_id }) => import_id)
      return { token: adminToken, ids: nameId('import', await this.#importId) }
    }
    this.#count += 1
    const owner_user_id = `user-${this.#count}`
    const token = await this.#daemon.tokenFor(owner_user_id, 'admin')
    if (url.includes(':proposalId')) {
      const { proposal, session } = await draftProposal(this.#daemon, { token })
      return { token, ids: { ...nameId('proposal', proposal), ...nameId('session', session) } }
    }
    const state = /answer|generate|draft/.test(url) ? 'stopped' : 'capturing'
    const session = await this.#daemon.aSessionIn(state, { owner_user_id })
    const event = await addObservation(this.#daemon, session)
    const ability = await addAbility(this.#daemon, { ability_id: `learned.large-${this.#count}`, owner_user_id })
    const ids = { ...nameId('session', session), ...nameId('event', event), ...nameId('ability', ability) }
    return { token, ids: { ...ids, learn_session_id: session, to_event_id: event, source_event_id: event } }
  }
}

const nameId = (noun: string, id: string): Record<string, string> => ({ [`${noun}Id`]: id, [`${noun}_id`]: id })
