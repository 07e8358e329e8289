process predict {
    publishDir 'results', mode: 'copy'

    input:
    tuple val(id), val(sequence)

    output:
    path "${id}.json"

    script:
    "python3 \$PEERS/fetch.py ${id} ${sequence} ${id}.json"
}

workflow {
    channel.fromPath('items.jsonl').splitJson() | map { [it.id, it.sequence] } | predict
}
