import type { FastifyInstance } from 'fastify'
import {
  deleteVaultSecret,
  listVaultSecrets,
  putVaultSecret,
  rotateVaultKey,
} from '@apprentice/contracts/connectors/vault.ts'
import type { System } from '../../daemon/system.ts'
import { listSecrets, putSecret, removeSecret } from '../../domain/connectors/registry/vault.ts'
import { mountContract } from '../../http/contract-routes.ts'

export function vaultRoutes(app: FastifyInstance, { commands, connectors }: System): void {
  const { vault } = connectors
  const on = mountContract(app)
  on(listVaultSecrets)(() => commands.read((reader) => ({ secrets: listSecrets(reader), schema_version: 1 as const })))
  on(putVaultSecret)((request) =>
    commands.command(request, (ctx) =>
      putSecret(ctx, vault, { name: request.params.secretName, value: request.body.value }),
    ),
  )
  on(deleteVaultSecret)((request) =>
    commands.command(request, (ctx) => ({
      ...removeSecret(ctx, request.params.secretName),
      schema_version: 1 as const,
    })),
  )
  on(rotateVaultKey)((request) =>
    commands.commandOnce(request, async () => ({
      ...(await vault.rotate((work) => commands.write(request, work))),
      schema_version: 1 as const,
    })),
  )
}
