import type { PhraseTable } from './language.ts'

/** What a screen says while something is being done and usually ends by itself within seconds. */
export const PROGRESS_PHRASES: PhraseTable = {
  en: 'sending, saving, uploading, syncing, processing, submitting, updating, creating, deleting, retrying, reconnecting, connecting, working',
  de: 'wird gesendet, wird gespeichert, wird hochgeladen, wird synchronisiert, wird bearbeitet, wird verarbeitet, wird übertragen, wird aktualisiert',
  fr: "envoi en cours, enregistrement en cours, synchronisation en cours, en cours d'envoi, en cours de traitement, mise à jour en cours",
  es: 'enviando, guardando, subiendo, sincronizando, procesando, actualizando',
  it: 'invio in corso, salvataggio in corso, caricamento in corso, sincronizzazione in corso, in elaborazione, aggiornamento in corso',
  pt: 'enviando, a enviar, salvando, a guardar, sincronizando, processando, atualizando',
  nl: 'wordt verzonden, wordt opgeslagen, wordt geüpload, wordt gesynchroniseerd, wordt verwerkt, bezig met',
  pl: 'wysyłanie, zapisywanie, przesyłanie, synchronizacja, przetwarzanie, aktualizowanie',
  sv: 'skickas, sparas, laddas upp, synkroniseras, bearbetas, behandlas, uppdateras',
  tr: 'gönderiliyor, kaydediliyor, yükleniyor, eşitleniyor, senkronize ediliyor, işleniyor, güncelleniyor',
  ru: 'отправляется, отправка, сохраняется, загружается, синхронизация, синхронизируется, обрабатывается, обновляется',
  ja: '送信中, 保存中, アップロード中, 同期中, 処理中, 更新中',
  zh: '发送中, 正在发送, 保存中, 正在保存, 上传中, 正在上传, 同步中, 正在同步, 处理中, 傳送中, 正在傳送, 儲存中, 上傳中, 處理中',
  ko: '전송 중, 전송중, 보내는 중, 저장 중, 업로드 중, 동기화 중, 처리 중, 처리중',
  ar: 'جار الإرسال, جارٍ الإرسال, جاري الإرسال, جار الحفظ, جارٍ الحفظ, جاري الحفظ, جار المزامنة, جارٍ المزامنة, قيد المعالجة',
}
