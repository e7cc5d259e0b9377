import type { FastifyInstance } from 'fastify'
import { submitIntent } from '@apprentice/contracts/admin/intents.ts'
import * as intents from '../domain/intents/intents.ts'
import { Failure } from '../failure/failure.ts'
import { mountContract } from '../http/contract-routes.ts'
import type { System } from '../daemon/system.ts'

export function intentRoutes(app: FastifyInstance, { commands }: System): void {
  mountContract(app)(submitIntent)((request) =>
    commands.command(request, (ctx) => {
      const decided = intents.submitIntent(ctx, request.body)
      if (decided instanceof Failure) return decided
      const { intent_id, status, written_ref, receipt_id } = decided
      return { intent_id, status, written_ref, receipt_id, schema_version: 1 as const }
    }),
  )
}
