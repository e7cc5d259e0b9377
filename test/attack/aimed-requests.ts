import { cancelAbilityRun, getAbilityRun, runAbility } from '@apprentice/contracts/abilities/runs.ts'
import type { AnyContract } from '@apprentice/contracts/base/route.ts'
import { callConnectorTool } from '@apprentice/contracts/connectors/dispatch.ts'
import {
  finishConnectorSignIn,
  refreshConnectorSignIn,
  revokeConnectorSignIn,
  startConnectorSignIn,
} from '@apprentice/contracts/connectors/sign-in.ts'
import { cancelExecution, createExecution } from '@apprentice/contracts/devices/executions.ts'
import { extractText } from '@apprentice/contracts/documents/adapter.ts'
import { generateScene } from '@apprentice/contracts/scenes/generations.ts'
import { cancelSceneRun, getSceneReport, startSceneRun } from '@apprentice/contracts/scenes/runs.ts'
import { visitSignInPage } from '../connectors/authorization-server.ts'
import type { Random } from '../crash/random.ts'
import { damage, mutate } from './body-mutation.ts'
import type { Answer } from './figures.ts'
import { findAskedTime, type FuzzedRequest, toSearch } from './fuzzed-requests.ts'
import { buildExecution, LESSON_INPUTS, openApp, tap } from './lesson.ts'

/** The objects of the attacked daemon that requests are aimed at. */
export interface Targets {
  readonly ability_id: string
  readonly serial: string
  readonly scene_id: string
  /** A server that anybody may call. */
  readonly open_server_id: string
  /** A server that needs a sign-in. */
  readonly protected_server_id: string
  /** A document of the administrator. */
  readonly document_ref: string
  /** A saved page that the administrator uploaded. */
  readonly page_ref: string
}

export interface AimedRequest extends FuzzedRequest {
  readonly who: 'owner' | 'admin' | 'nobody'
  /** Reads from the reply what later requests need. */
  readonly answered: (answer: Answer) => void
}

interface Aim {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: object
  readonly who?: AimedRequest['who']
  readonly answered?: (reply: Reply) => void
}

/** The fields of replies that lead to further requests. */
interface Reply {
  readonly run?: { readonly run_id: string }
  readonly execution?: { readonly execution_id: string }
  readonly auth_url?: string
}

/** More runs than this are not left open: phones and browsers do one thing after the other. */
const MOST_OPEN = 2
const RUN_MS = 60_000
/** A browser takes much of a processor. */
const MOST_SCENE_RUNS = 40
const REPLY_MS = 50

/**
 * Makes requests that start real work: legal ones, built from objects that the attacked daemon has, and the same with
 * changed fields or damaged bytes. What was started is read, and cancelled by and by.
 */
export class AimedFuzzer {
  readonly #random: Random
  readonly #targets: Targets
  readonly #runs: string[] = []
  readonly #sceneRuns: string[] = []
  readonly #executions: string[] = []
  #sceneRunsStarted = 0
  /** Pages of sign-ins that nobody has visited yet. */
  readonly #pages: string[] = []

  constructor(random: Random, targets: Targets) {
    this.#random = random
    this.#targets = targets
  }

  async next(): Promise<AimedRequest> {
    switch (this.#random.pickWeighted({ ability: 2, scene: 2, execution: 0.5, call: 2, sign_in: 3, file: 0.5 })) {
      case 'ability':
        return this.#ability()
      case 'scene':
        return this.#scene()
      case 'execution':
        return this.#execution()
      case 'call':
        return this.#call()
      case 'sign_in':
        return this.#signIn()
      case 'file':
        return this.#file()
    }
  }

  #ability(): AimedRequest {
    const { ability_id: abilityId, serial } = this.#targets
    const runId = this.#takeOpen(this.#runs)
    if (runId !== undefined) {
      const contract: AnyContract = this.#random.chance(0.8) ? cancelAbilityRun : getAbilityRun
      return this.#aim(contract, { params: { runId }, body: {} })
    }
    const inputs = { ...LESSON_INPUTS, temperature: this.#random.int(17, 28) }
    const body = { inputs, serial, wait_ms: REPLY_MS, timeout_ms: RUN_MS }
    return this.#aim(runAbility, {
      params: { abilityId },
      body: this.#random.chance(0.2) ? { ...body, items: [inputs, { unit: 'Reception' }] } : body,
      answered: ({ run }) => run !== undefined && this.#runs.push(run.run_id),
    })
  }

  #scene(): AimedRequest {
    const runId = this.#takeOpen(this.#sceneRuns)
    if (runId !== undefined) {
      const contract: AnyContract = this.#random.chance(0.6) ? cancelSceneRun : getSceneReport
      return this.#aim(contract, { params: { runId }, body: {} })
    }
    if (this.#sceneRunsStarted >= MOST_SCENE_RUNS) return this.#ability()
    const { scene_id } = this.#targets
    const named = this.#random.chance(0.5) ? { scene_id } : { instruction: `${scene_id}。。。` }
    return this.#aim(startSceneRun, {
      body: { ...named, wait_ms: REPLY_MS, timeout_ms: RUN_MS },
      answered: ({ run }) => {
        if (run === undefined) return
        this.#sceneRunsStarted += 1
        this.#sceneRuns.push(run.run_id)
      },
    })
  }

  #execution(): AimedRequest {
    const executionId = this.#takeOpen(this.#executions)
    if (executionId !== undefined) return this.#aim(cancelExecution, { params: { executionId }, body: {} })
    const actions = [openApp(), tap('Kitchen'), { type: 'press_key', params: { key: 'back' } }]
    return this.#aim(createExecution, {
      body: { execution: buildExecution(actions), serial: this.#targets.serial, wait_ms: REPLY_MS },
      answered: ({ execution }) => execution !== undefined && this.#executions.push(execution.execution_id),
    })
  }

  #call(): AimedRequest {
    const { open_server_id, protected_server_id } = this.#targets
    const server_id = this.#random.pick([open_server_id, protected_server_id])
    const tool_name = this.#random.pick(['read_note', 'write_note'])
    const body = { server_id, tool_name, arguments: { name: 'note' }, wait_ms: REPLY_MS, max_duration_ms: 5000 }
    return this.#aim(callConnectorTool, { body })
  }

  async #signIn(): Promise<AimedRequest> {
    const { protected_server_id: server_id } = this.#targets
    const params = { serverId: server_id }
    const page = this.#pages.shift()
    if (page !== undefined) return this.#callback(page)
    const contract = this.#random.pick<AnyContract>([
      startConnectorSignIn,
      startConnectorSignIn,
      refreshConnectorSignIn,
    ])
    if (this.#random.chance(0.1)) {
      return this.#aim(revokeConnectorSignIn, { params, body: { server_id, revoke_remote: true }, who: 'admin' })
    }
    return this.#aim(contract, {
      params,
      body: contract === refreshConnectorSignIn ? { server_id, force: true } : { server_id },
      who: 'admin',
      answered: ({ auth_url }) => auth_url !== undefined && this.#pages.push(auth_url),
    })
  }

  #file(): AimedRequest {
    const { document_ref, page_ref } = this.#targets
    if (this.#random.chance(0.5)) {
      return this.#aim(generateScene, { body: { temp_artifact_ref: page_ref, answers: {} }, who: 'admin' })
    }
    const body = { capability: 'extract_text', source_ref_kind: 'document_ref', source_ref: document_ref }
    return this.#aim(extractText, { body, who: 'admin' })
  }

  /** Visits the page of a sign-in as a person would, and goes back as the browser would, or almost so. */
  async #callback(page: string): Promise<AimedRequest> {
    const { protected_server_id: serverId } = this.#targets
    const back = new URL(page).searchParams.get('redirect_uri') ?? ''
    const at = await visitSignInPage(page, back).catch(() => `${back}?state=unknown`)
    const query = Object.fromEntries(new URL(at).searchParams)
    return this.#aim(finishConnectorSignIn, { params: { serverId }, query, who: 'nobody' })
  }

  /** One of too many open runs, or at times of few. */
  #takeOpen(open: string[]): string | undefined {
    return open.length >= MOST_OPEN || this.#random.chance(0.2) ? open.shift() : undefined
  }

  #aim(contract: AnyContract, { params = {}, query, body, who = 'owner', answered }: Aim): AimedRequest {
    const kind = this.#random.pickWeighted({ legal: 6, mutated: 3, damaged: 1 })
    const isGet = contract.method === 'GET'
    const sent = (kind === 'mutated' ? mutate(isGet ? query : body, this.#random) : isGet ? query : body) ?? {}
    const bytes = Buffer.from(JSON.stringify(sent))
    const search = isGet ? toSearch(sent) : ''
    return {
      method: contract.method,
      path: fillPath(contract.url, params) + search,
      headers: isGet ? {} : { 'content-type': 'application/json' },
      body: isGet ? undefined : kind === 'damaged' ? damage(bytes, this.#random) : bytes,
      what: `${contract.method} ${contract.url}`,
      asked_ms: findAskedTime(contract, sent),
      stream: contract.stream,
      who,
      answered: ({ status, body: text }) => {
        if (status < 300) answered?.(parseReply(text))
      },
    }
  }
}

const fillPath = (url: string, params: Readonly<Record<string, string>>): string =>
  url.replaceAll(/:([A-Za-z]+)/g, (_match, name: string) => encodeURIComponent(params[name] ?? 'unknown'))

function parseReply(text: string): Reply {
  try {
    return JSON.parse(text) as Reply
  } catch {
    return {}
  }
}
