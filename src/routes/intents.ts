import type { FastifyInstance } from 'fastify'
import { getIntent, listConfiguration, listIntents, submitIntent } from '@apprentice/contracts/admin/intents.ts'
import { getOwnIntent, listVisibleConfiguration, toIntentRecord } from '../domain/intents/configuration.ts'
import * as intents from '../domain/intents/intents.ts'
import { Failure } from '../failure/failure.ts'
import { mountContract } from '../http/contract-routes.ts'
import { listOwnIntents } from '../store/config/config-documents.ts'
import type { System } from '../daemon/system.ts'

export function intentRoutes(app: FastifyInstance, { commands }: System): void {
  const on = mountContract(app)

  on(submitIntent)((request) =>
    commands.command(request, (ctx) => {
      const decided = intents.submitIntent(ctx, request.body, request.caller.privilege === 'admin')
      if (decided instanceof Failure) return decided
      const { intent_id, status, written_ref, receipt_id } = decided
      return { intent_id, status, written_ref, receipt_id, schema_version: 1 as const }
    }),
  )

  on(listIntents)(({ caller, query }) =>
    commands.read((reader) => {
      const found = listOwnIntents(reader, caller.user_id, query)
      const { page, page_size } = query
      return {
        intents: found.intents.map(toIntentRecord),
        total: found.total,
        page,
        page_size,
        schema_version: 1 as const,
      }
    }),
  )

  on(getIntent)(({ caller, params }) =>
    commands.read((reader) => ({
      intent: getOwnIntent(reader, params.intentId, caller.user_id),
      schema_version: 1 as const,
    })),
  )

  on(listConfiguration)(({ caller, query: { target, capability_id } }) =>
    commands.read((reader) => ({
      documents: listVisibleConfiguration(reader, caller.user_id).filter(
        (document) =>
          (target === undefined || document.target === target) &&
          (capability_id === undefined || document.capability_id === capability_id),
      ),
      schema_version: 1 as const,
    })),
  )
}
