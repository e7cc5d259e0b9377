import type { FastifyInstance } from 'fastify'
import { getSkillText } from '@apprentice/contracts/abilities/availability.ts'
import { exportAbility } from '@apprentice/contracts/skills/imports.ts'
import { buildExport, getSkillFile } from '../../domain/skill-import/bundle-export.ts'
import { mountContract } from '../../http/contract-routes.ts'
import type { System } from '../../daemon/system.ts'

export function skillExportRoutes(app: FastifyInstance, { commands, bundles }: System): void {
  const on = mountContract(app)
  on(getSkillText)(async ({ params, caller }) => {
    const file = commands.read((reader) => getSkillFile(reader, params.abilityId, caller.user_id))
    return (await bundles.readContent(file)).toString('utf8')
  })

  on(exportAbility)(({ params, caller }, reply) => {
    const { name, files } = commands.read((reader) => buildExport(reader, params.abilityId, caller.user_id))
    void reply.header('content-disposition', `attachment; filename="${name}.skillbundle.zip"`)
    return bundles.pack(files)
  })
}
