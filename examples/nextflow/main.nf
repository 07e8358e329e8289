// A campaign as one process of a pipeline: nextflow run main.nf --manifest night.csv
// It has a limit of its own, so one runs at a time, without retries. If it is killed, the same command resumes it.
nextflow.enable.dsl = 2

params.manifest = 'night.csv'
params.options = '--services synthetic'  // made-up results; '' for the real services

process campaign {
    maxForks 1
    errorStrategy 'terminate'

    input:
    path manifest

    output:
    path 'items.csv'
    path 'tables'

    // In the launch folder: a new work folder each time would be a new campaign.
    // Exit code 3: some items failed, and the pipeline goes on with the others.
    script:
    """
    (cd '${launchDir}' && hundredfold run '${manifest.toRealPath()}' --yes ${params.options}) || [ \$? -eq 3 ]
    ln -s '${launchDir}/results/${manifest.baseName}/items.csv' '${launchDir}/results/${manifest.baseName}/tables' .
    """
}

process molecules {
    publishDir "${launchDir}", mode: 'copy'

    input:
    path items
    path tables

    output:
    path 'molecules.csv'

    script:
    """
    cp '${tables}/molecules.csv' molecules.csv
    """
}

workflow {
    campaign(file(params.manifest))
    molecules(campaign.out[0], campaign.out[1])
}
