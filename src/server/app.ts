import { fastifySSE } from '@fastify/sse'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { validatorCompiler } from 'fastify-type-provider-zod'
import { allRoutes } from '@apprentice/contracts/index.ts'
import { Failure } from '../failure/failure.ts'
import { DeviceLooks } from '../device-runtime/device-looks.ts'
import { LiveScreens } from '../device-runtime/live/live-screen.ts'
import { refusingConnections, replyWithFailure } from '../http/failure-reply.ts'
import { correlationIdOf, registerRequestGuards } from '../http/request-guards.ts'
import { registerAdminDelegation } from '../http/admin-delegation.ts'
import { replyText } from '../http/reply-text.ts'
import { parseStrictJson } from '../http/strict-json.ts'
import { TokenBuckets } from '../http/token-bucket.ts'
import { abilityRoutes } from '../routes/abilities.ts'
import { abilityRunRoutes } from '../routes/ability-runs.ts'
import { accessRoutes } from '../routes/access.ts'
import { capabilityRoutes } from '../routes/capabilities.ts'
import { categoryRoutes } from '../routes/categories.ts'
import { dashboardRoutes } from '../routes/dashboard.ts'
import { deviceLookRoutes } from '../routes/device-looks.ts'
import { deviceRoutes } from '../routes/devices.ts'
import { docsRoutes } from '../routes/docs.ts'
import { executionRoutes } from '../routes/executions.ts'
import { healthRoutes } from '../routes/health.ts'
import { installRoutes } from '../routes/installs.ts'
import { intentRoutes } from '../routes/intents.ts'
import { learnAdapterRoutes } from '../routes/learn/adapters.ts'
import { checkpointRoutes } from '../routes/learn/checkpoints.ts'
import { learnCoachingRoutes } from '../routes/learn/coaching.ts'
import { learnHistoryRoutes } from '../routes/learn/history.ts'
import { learnMarkerRoutes } from '../routes/learn/markers.ts'
import { learnMiningRoutes } from '../routes/learn/mining.ts'
import { learnObservationRoutes } from '../routes/learn/observations.ts'
import { learnPracticeRoutes } from '../routes/learn/practice.ts'
import { learnProposalRoutes } from '../routes/learn/proposals.ts'
import { learnProposalReviewRoutes } from '../routes/learn/proposals-review.ts'
import { learnProposalValidationRoutes } from '../routes/learn/proposals-validation.ts'
import { learnReceiptRoutes } from '../routes/learn/receipts.ts'
import { learnRuntimeRoutes } from '../routes/learn/runtime.ts'
import { learnSessionRoutes } from '../routes/learn/sessions.ts'
import { learnStreamRoutes } from '../routes/learn/stream.ts'
import { liveScreenRoutes } from '../routes/live-screen.ts'
import { recipeRoutes } from '../routes/recipes.ts'
import { recordingRoutes } from '../routes/recordings.ts'
import { retiredRoutes } from '../routes/retired.ts'
import { skillExportRoutes } from '../routes/skill-exports.ts'
import { skillImportRoutes } from '../routes/skill-imports.ts'
import { skillImportUploadRoutes } from '../routes/skill-import-uploads.ts'
import { skillRunRoutes } from '../routes/skill-runs.ts'
import { skillRoutes } from '../routes/skills.ts'
import type { System } from '../daemon/system.ts'

/** The daemon's HTTP face. Builds, never listens. */
export async function buildApp(system: System): Promise<FastifyInstance> {
  const { config, log } = system
  const { limits } = config.settings
  // Fastify's own, narrower logger type keeps the instance type plain.
  const logger: FastifyBaseLogger = log
  const app: FastifyInstance = Fastify({
    loggerInstance: logger,
    genReqId: (raw) => correlationIdOf(raw.headers) ?? system.newId(),
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'correlation_id',
    }),
    bodyLimit: limits.body_bytes,
    forceCloseConnections: 'idle',
    // The gate answers while closing, in our own envelope.
    return503OnClosing: false,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 240 },
    frameworkErrors: replyWithFailure,
    clientErrorHandler: refusingConnections(system.newId),
  })
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(replyText)
  app.setErrorHandler(replyWithFailure)
  readBodies(app)
  registerRequestGuards(app, {
    access: system.access,
    buckets: new TokenBuckets(limits.requests_per_second, limits.request_burst),
    clock: system.clock,
    hosts: new Set(['127.0.0.1', 'localhost', '[::1]', config.host.toLowerCase()]),
    isStopping: () => system.stopping,
  })
  registerAdminDelegation(app, (work) => system.commands.read(work))
  watchRequests(app, system)
  answerUnknown(app)
  await app.register(fastifySSE, { heartbeatInterval: 0 })
  app.addHook('preClose', () => system.hub.close())
  app.addHook('onListen', async () => system.listening(app.server.address()))
  await mountRoutes(app, system)
  return app
}

async function mountRoutes(app: FastifyInstance, system: System): Promise<void> {
  accessRoutes(app, system)
  healthRoutes(app, system)
  await docsRoutes(app)
  dashboardRoutes(app, system)
  learnSessionRoutes(app, system)
  learnMarkerRoutes(app, system)
  learnObservationRoutes(app, system)
  learnAdapterRoutes(app, system)
  checkpointRoutes(app, system)
  learnCoachingRoutes(app, system)
  learnPracticeRoutes(app, system)
  learnProposalRoutes(app, system)
  learnProposalReviewRoutes(app, system)
  learnProposalValidationRoutes(app, system)
  installRoutes(app, system)
  abilityRunRoutes(app, system)
  capabilityRoutes(app, system)
  learnMiningRoutes(app, system)
  learnRuntimeRoutes(app, system)
  learnHistoryRoutes(app, system)
  learnReceiptRoutes(app, system)
  learnStreamRoutes(app, system)
  deviceRoutes(app, system)
  deviceLookRoutes(app, system, new DeviceLooks(system))
  executionRoutes(app, system)
  await skillImportUploadRoutes(app, system)
  skillImportRoutes(app, system)
  skillExportRoutes(app, system)
  skillRunRoutes(app, system)
  recipeRoutes(app, system)
  skillRoutes(app, system)
  recordingRoutes(app, system)
  liveScreenRoutes(app, system, new LiveScreens(system))
  abilityRoutes(app, system)
  categoryRoutes(app, system)
  intentRoutes(app, system)
  retiredRoutes(app, system)
}

function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseStrictJson(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  // A request without a body asks with no fields; its contract says which are missing.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.body === undefined) request.body = {}
    done()
  })
}

/** One line per change; reads are told only at debug. */
function watchRequests(app: FastifyInstance, { log, metrics }: System): void {
  // Nothing in these lines can be a secret, so nobody looks for one.
  const lines = log.child({}, { redact: [] })
  app.addHook('onResponse', (request, reply, done) => {
    const { contract } = request.routeOptions.config
    if (contract !== undefined) {
      const route = `${contract.method} ${contract.url}`
      const status = reply.statusCode
      metrics.requests.observe({ route, status }, reply.elapsedTime / 1000)
      const level = request.method === 'GET' ? 'debug' : 'info'
      if (log.isLevelEnabled(level)) {
        const ms = Math.round(reply.elapsedTime * 10) / 10
        const { caller } = request
        lines[level](
          { correlation_id: request.id, route, status, ms, user_id: caller?.user_id },
          'request',
        )
      }
    }
    done()
  })
}

function answerUnknown(app: FastifyInstance): void {
  const known = allRoutes.map(({ method, url }) => ({
    method,
    pattern: new RegExp(`^${url.replaceAll(/:[A-Za-z]+/g, '[^/]+')}$`),
  }))
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const methods = known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
    if (methods.length === 0) throw new Failure('NOT_FOUND', 'There is no such route.')
    void reply.header('allow', methods.join(', '))
    throw new Failure('METHOD_NOT_ALLOWED', `This path takes ${methods.join(', ')}.`)
  })
}
